import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
  attempts: number;
  last: number;
}

/** Each attempt has a row, from 1 without gaps (2.5). */
export const attemptMissing = defineCheck<Row>({
  invariant: 'I5',
  name: 'attemptMissing',
  text: `
    select run.id as subject, run.project_id, counted.name, counted.attempts, counted.last
    from (
      select run_id, index, min(name) as name, count(*) as attempts, max(attempt) as last
      from run_step
      where run_id >= $floorId
      group by run_id, index
      having count(*) <> max(attempt)
    ) counted
    join run on run.id = counted.run_id
    limit $limit`,
  describe: ({ subject, name, attempts, last }) =>
    `step ${JSON.stringify(name)} of run ${subject} has ${attempts} rows for ${last} attempts`,
});

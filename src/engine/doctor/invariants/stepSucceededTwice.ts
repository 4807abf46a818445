import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  name: string;
  times: number;
}

/** A step has one memo: neither its name nor its id has succeeded twice in a run. */
export const stepSucceededTwice = defineCheck<Row>({
  invariant: 'I4',
  name: 'stepSucceededTwice',
  text: `
    select run.id as subject, run.project_id, repeated.name, repeated.times
    from (
      select run_id, min(name) as name, count(*) as times
      from run_step
      where run_id >= $floorId and status = 'succeeded'
      group by grouping sets ((run_id, name), (run_id, step_id))
      having count(*) > 1
    ) repeated
    left join run on run.id = repeated.run_id
    limit $limit`,
  describe: ({ subject, name, times }) => `step ${JSON.stringify(name)} of run ${subject} succeeded ${times} times`,
});

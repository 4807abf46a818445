import { defineCheck, type FoundRow, statusOfFrame } from './check.ts';

interface Row extends FoundRow {
  status: string;
  told: string | null;
  isLast: boolean;
}

/** The last status in the journal is the run's, and nothing follows a terminal one. */
export const journalAgainstRun = defineCheck<Row>({
  invariant: 'I16',
  name: 'journalAgainstRun',
  text: `
    select run.id as subject, run.project_id, run.status, newest.told,
      not exists (select from run_frame later where later.run_id = run.id and later.seq > newest.seq) as is_last
    from run
    cross join lateral (
      select seq, ${statusOfFrame} as told
      from run_frame
      where run_frame.run_id = run.id and run_frame.kind = 'run_status'
      order by seq desc
      limit 1
    ) newest
    where run.id >= $floorId
      and (
        newest.told is distinct from run.status
        or (
          run.status in ('succeeded', 'failed', 'cancelled')
          and exists (select from run_frame later where later.run_id = run.id and later.seq > newest.seq)
        )
      )
    limit $limit`,
  describe: ({ subject, status, told, isLast }) =>
    told !== status
      ? `run ${subject} is ${status}, while its journal last told of ${told}`
      : `run ${subject} has ${status}, and its journal goes on ${isLast ? 'no further' : 'after that'}`,
});

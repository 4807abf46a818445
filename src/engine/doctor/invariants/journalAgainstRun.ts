import { defineCheck, type FoundRow, statusOfFrame } from './check.ts';

interface Row extends FoundRow {
  status: string;
  last: string | null;
}

/** The last status of the journal is that of the run, and no frame follows a terminal status. */
export const journalAgainstRun = defineCheck<Row>({
  invariant: 'I16',
  name: 'journalAgainstRun',
  text: `
    select run.id as subject, run.project_id, run.status, newest.status as last
    from run
    cross join lateral (
      select seq, ${statusOfFrame} as status
      from run_frame
      where run_frame.run_id = run.id and run_frame.kind = 'run_status'
      order by seq desc
      limit 1
    ) newest
    where run.id >= $floorId
      and (
        newest.status is distinct from run.status
        or (
          run.status in ('succeeded', 'failed', 'cancelled')
          and exists (select from run_frame later where later.run_id = run.id and later.seq > newest.seq)
        )
      )
    limit $limit`,
  describe: ({ subject, status, last }) =>
    last !== status
      ? `run ${subject} is ${status}, but the last status in its journal is ${last}`
      : `run ${subject} has ended (${status}), but its journal continues`,
});

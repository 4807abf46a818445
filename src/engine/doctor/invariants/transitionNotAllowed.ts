import { rowset, text } from '../../db/index.ts';
import { runStatuses, successors } from '../../runs/index.ts';
import { defineCheck, type FoundRow, statusOfFrame } from './check.ts';

interface Row extends FoundRow {
  seq: number;
  before: string | null;
  status: string | null;
}

/** Pairs of consecutive statuses. The first status of a run has no predecessor. */
const allowed = [
  { before: '', after: 'queued' },
  ...runStatuses.flatMap((before) => successors[before].map((after) => ({ before, after }))),
];

/**
 * Every change of status in the journal is allowed by 3.1, and the first status is `queued`. So a
 * terminal status is final.
 */
export const transitionNotAllowed = defineCheck<Row>({
  invariant: 'I7',
  name: 'transitionNotAllowed',
  params: { allowed: rowset({ before: text, after: text }).of(() => allowed) },
  text: `
    select run.id as subject, run.project_id, moved.seq, moved.before, moved.status
    from (
      select run_id, seq, status, lag(status) over (partition by run_id order by seq) as before
      from (
        select run_id, seq, ${statusOfFrame} as status
        from run_frame
        where run_id >= $floorId and kind = 'run_status'
      ) journal
    ) moved
    left join run on run.id = moved.run_id
    where (coalesce(moved.before, ''), coalesce(moved.status, '')) not in (
      select allowed.before, allowed.after from $allowed as allowed)
    limit $limit`,
  describe: ({ subject, seq, before, status }) =>
    before === null
      ? `the journal of run ${subject} begins with ${status}, not with queued`
      : `run ${subject} went from ${before} to ${status} (frame ${seq}), which is not allowed`,
});

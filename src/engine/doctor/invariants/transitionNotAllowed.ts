import { runStatuses, successors } from '../../runs/index.ts';
import { defineCheck, type FoundRow, statusOfFrame } from './check.ts';

interface Row extends FoundRow {
  seq: number;
  before: string | null;
  status: string | null;
}

const allowed = runStatuses.flatMap((from) => successors[from].map((to) => [from, to] as const));

/** Every step of the journal is one that 3.1 allows; the first is `queued`. So a status never leaves a terminal one. */
export const transitionNotAllowed = defineCheck<Row>({
  invariant: 'I7',
  name: 'transitionNotAllowed',
  text: `
    select run.id as subject, run.project_id, moved.seq, moved.before, moved.status
    from (
      select run_id, seq, status, lag(status) over (partition by run_id order by seq) as before
      from (
        select run_id, seq, ${statusOfFrame} as status
        from run_frame
        where run_id >= $2::uuid and kind = 'run_status'
      ) told
    ) moved
    left join run on run.id = moved.run_id
    where (coalesce(moved.before, ''), coalesce(moved.status, '')) not in (
      select allowed.before, allowed.after from unnest($3::text[], $4::text[]) as allowed (before, after))
    limit $1`,
  values: ({ floorId }) => [
    floorId,
    ['', ...allowed.map(([from]) => from)],
    ['queued', ...allowed.map(([, to]) => to)],
  ],
  describe: ({ subject, seq, before, status }) =>
    before === null
      ? `the journal of run ${subject} begins with ${status}, not with queued`
      : `run ${subject} went from ${before} to ${status} (frame ${seq}), which is not allowed`,
});

import { bigint, rowset, statement, uuid } from '../../db/index.ts';
import type { FrameRow } from './readFramePage.ts';

interface RunTip {
  projectId: string;
  runId: string;
  app: string;
  workflow: string;
  /** The number of the run's last frame. */
  tip: number;
}

/** A status frame. All its columns are null for a run without a status frame. */
export type LatestStatusRow = RunTip & (FrameRow | { [Column in keyof FrameRow]: null });

/**
 * The status frames of each run after a given one, oldest first, with the number of its last frame
 * of any kind; all of one snapshot. The frames are new, so the search ends after the last thousand
 * frames.
 */
export const readLatestStatuses = statement<LatestStatusRow>('readLatestStatuses').reads({
  // Each run is read after the frame of this number.
  params: { asked: rowset({ runId: uuid, after: bigint }) },
  text: `
    select run.project_id, run.id as run_id, run.app, run.workflow, tip.seq as tip,
      latest.seq, latest.kind, latest.ts, latest.payload
    from $asked as asked
    join run on run.id = asked.run_id
    cross join lateral (
      select seq from run_frame where run_frame.run_id = run.id order by seq desc limit 1
    ) tip
    left join lateral (
      select seq, kind, ts, payload
      from (
        select seq, kind, ts, payload
        from run_frame
        where run_frame.run_id = run.id and run_frame.seq > asked.after
        order by seq desc
        limit 1000
      ) recent
      where kind = 'run_status'
      order by seq desc
      limit 50
    ) latest on true
    order by run.id, latest.seq`,
});

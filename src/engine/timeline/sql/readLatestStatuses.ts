import { statement } from '../../db/statement.ts';
import type { FrameRow } from './readFramePage.ts';

export interface LatestStatusRow extends FrameRow {
  projectId: string;
  runId: string;
  app: string;
  workflow: string;
}

/** The last few status frames of each run, oldest first. They were just written, so they stand at the journal's end. */
export const readLatestStatuses = statement<{ runIds: readonly string[] }, LatestStatusRow>({
  name: 'readLatestStatuses',
  writes: false,
  text: `
    select run.project_id as "projectId", run.id as "runId", run.app, run.workflow,
      latest.seq, latest.kind, latest.ts, latest.payload
    from run
    cross join lateral (
      select seq, kind, ts, payload
      from run_frame
      where run_frame.run_id = run.id and run_frame.kind = 'run_status'
      order by seq desc
      limit 4
    ) latest
    where run.id = any($1::uuid[])
    order by run.id, latest.seq`,
  values: ({ runIds }) => [runIds],
});

import type { FrameKind } from '../../bus.ts';
import { bigint, statement, uuid } from '../../db/index.ts';

export interface FrameRow {
  seq: number;
  kind: FrameKind;
  ts: Date;
  payload: string;
}

/**
 * Rides the primary key of `run_frame`. Looks up the run by its own key, to check its project.
 */
export const readFramePage = statement<FrameRow>('readFramePage').reads({
  params: {
    projectId: uuid,
    runId: uuid,
    /** Frames after this number. */
    from: bigint,
    limit: bigint,
    /**
     * The page ends with the frame that crosses this size, so that a page takes bounded memory.
     */
    maxBytes: bigint,
  },
  text: `
    select seq, kind, ts, payload
    from (
      select page.*, sum(octet_length(page.payload::text)) over (order by page.seq) - octet_length(page.payload::text)
        as bytes_before
      from (
        select seq, kind, ts, payload
        from run_frame
        where run_id = $runId and seq > $from
          and exists (select from run where run.id = $runId and run.project_id = $projectId)
        order by seq
        limit $limit
      ) page
    ) sized
    where bytes_before < $maxBytes
    order by seq`,
});

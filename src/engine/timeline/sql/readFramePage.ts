import type { FrameKind } from '../../bus.ts';
import { statement } from '../../db/index.ts';

export interface FramePage {
  projectId: string;
  runId: string;
  /** Frames after this number. */
  from: number;
  kind: FrameKind | null;
  limit: number;
  /** The page ends with the frame that crosses this size, so that no page is larger than a process can bear. */
  maxBytes: number;
}

export interface FrameRow {
  seq: number;
  kind: FrameKind;
  ts: Date;
  payload: string;
}

/** Rides the primary key of `run_frame`; the run is looked up by its own to hold it to the project. */
export const readFramePage = statement<FramePage, FrameRow>({
  name: 'readFramePage',
  writes: false,
  text: `
    select seq, kind, ts, payload
    from (
      select page.*, sum(octet_length(page.payload::text)) over (order by page.seq) - octet_length(page.payload::text)
        as bytes_before
      from (
        select seq, kind, ts, payload
        from run_frame
        where run_id = $1 and seq > $2 and ($3::text is null or kind = $3)
          and exists (select from run where run.id = $1 and run.project_id = $4)
        order by seq
        limit $5
      ) page
    ) sized
    where bytes_before < $6
    order by seq`,
  values: ({ projectId, runId, from, kind, limit, maxBytes }) => [runId, from, kind, projectId, limit, maxBytes],
});

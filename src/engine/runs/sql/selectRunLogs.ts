import { statement } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

export interface RunLogsParams {
  runIds: readonly string[];
  /** Lines after this `seq`. */
  from: number;
  /** Lines of each run, at most. */
  limit: number;
  /** The page of a run ends early with the line that crosses this size: a line may hold a megabyte. */
  pageBytes: number;
  /** Bytes to read at most, of all runs together. */
  maxBytes: number;
}

export interface LogFrameRow extends Sized {
  runId: string;
  seq: number;
  ts: Date;
  /** JSON text: `level`, `message`, `fields`, `scope`, `attempt`. Empty where it was not read. */
  payload: string;
  /** Whether more lines of the run follow this one. */
  hasNext: boolean;
}

/** Log lines of runs, oldest first (2.6). Rides the journal's primary key. */
export const selectRunLogs = statement<RunLogsParams, LogFrameRow>({
  name: 'selectRunLogs',
  writes: false,
  text: `select "runId", seq, ts, bytes, "hasNext", upto <= $5 as "isRead",
           case when upto <= $5 then payload::text else '' end as payload
         from (
           select ids.id as "runId", f.seq, f.ts, f.payload, f.bytes, f.found > f.nth as "hasNext",
             sum(f.bytes) over (order by ids.id, f.seq) as upto
           from unnest($1::uuid[]) as ids (id)
           cross join lateral (
             select page.*, sum(page.bytes) over (order by page.seq) - page.bytes as before,
               row_number() over (order by page.seq) as nth, count(*) over () as found
             from (
               select seq, ts, payload, octet_length(payload::text) as bytes from run_frame
               where run_frame.run_id = ids.id and run_frame.kind = 'log' and run_frame.seq > $2
               order by seq
               limit $3 + 1
             ) page
           ) f
           where f.before < $4 and f.nth <= $3
         ) bounded
         order by "runId", seq`,
  values: ({ runIds, from, limit, pageBytes, maxBytes }) => [runIds, from, limit, pageBytes, maxBytes],
});

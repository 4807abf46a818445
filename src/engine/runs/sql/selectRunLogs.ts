import { bigint, int, statement, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

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
export const selectRunLogs = statement<LogFrameRow>('selectRunLogs').reads({
  params: {
    runIds: uuid.list,
    /** Lines after this `seq`. */
    from: bigint,
    /** Lines of each run, at most. */
    limit: int,
    /**
     * The page of a run ends early with the line that crosses this size: a line may hold a
     * megabyte.
     */
    pageBytes: bigint,
    /** Bytes to read at most, of all runs together. */
    maxBytes: bigint,
  },
  text: `select run_id, seq, ts, bytes, has_next, upto <= $maxBytes as is_read,
           case when upto <= $maxBytes then payload::text else '' end as payload
         from (
           select ids.id as run_id, f.seq, f.ts, f.payload, f.bytes, f.found > f.nth as has_next,
             sum(f.bytes) over (order by ids.id, f.seq) as upto
           from unnest($runIds) as ids (id)
           cross join lateral (
             select page.*, sum(page.bytes) over (order by page.seq) - page.bytes as before,
               row_number() over (order by page.seq) as nth, count(*) over () as found
             from (
               select seq, ts, payload, octet_length(payload::text) as bytes from run_frame
               where run_frame.run_id = ids.id and run_frame.kind = 'log' and run_frame.seq > $from
               order by seq
               limit $limit + 1
             ) page
           ) f
           where f.before < $pageBytes and f.nth <= $limit
         ) bounded
         order by run_id, seq`,
});

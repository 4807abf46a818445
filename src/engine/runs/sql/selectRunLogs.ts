import { statement } from '../../db/statement.ts';

export interface RunLogsParams {
  runIds: readonly string[];
  /** Lines after this `seq`. */
  from: number;
  /** Lines of each run, at most. */
  limit: number;
}

export interface LogFrameRow {
  runId: string;
  seq: number;
  ts: Date;
  /** JSON text: `level`, `message`, `fields`, `scope`, `attempt`. */
  payload: string;
}

/** A page of a run ends with the line that crosses this size: a line may hold a megabyte. */
const maxBytes = 16 * 1024 * 1024;

/** Log lines of runs, oldest first (2.6). Rides the journal's primary key. */
export const selectRunLogs = statement<RunLogsParams, LogFrameRow>({
  name: 'selectRunLogs',
  writes: false,
  text: `select ids.id as "runId", f.seq, f.ts, f.payload
         from unnest($1::uuid[]) as ids (id)
         cross join lateral (
           select page.*, sum(page.size) over (order by page.seq) - page.size as before
           from (
             select seq, ts, payload, octet_length(payload::text) as size from run_frame
             where run_frame.run_id = ids.id and run_frame.kind = 'log' and run_frame.seq > $2
             order by seq
             limit $3
           ) page
         ) f
         where f.before < ${maxBytes}
         order by ids.id, f.seq`,
  values: ({ runIds, from, limit }) => [runIds, from, limit],
});

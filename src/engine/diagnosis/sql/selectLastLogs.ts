import { bigint, int, statement, uuid } from '../../db/index.ts';
import type { LogFrameRow } from '../../runs/index.ts';

/**
 * The last log lines of runs, oldest first: as many as fit, and at least one. Reads the journal
 * backwards.
 */
export const selectLastLogs = statement<LogFrameRow>('selectLastLogs').reads({
  params: {
    runIds: uuid.list,
    /** Lines of each run. */
    limit: int,
    /** Bytes of each run. A line may hold a megabyte. */
    maxBytes: bigint,
  },
  text: `
    select run_id, seq, ts, payload::text as payload, bytes, true as is_read, false as has_next
    from unnest($runIds) as ids (run_id)
    cross join lateral (
      select line.*, sum(line.bytes) over (order by line.seq desc) as upto, row_number() over (order by line.seq desc) as nth
      from (
        select seq, ts, payload, octet_length(payload::text) as bytes from run_frame
        where run_frame.run_id = ids.run_id and run_frame.kind = 'log'
        order by seq desc limit $limit
      ) line
    ) last
    where upto <= $maxBytes or nth = 1
    order by run_id, seq`,
});

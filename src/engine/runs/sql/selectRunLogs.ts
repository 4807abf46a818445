import { bigint, int, statement, text, uuid } from '../../db/index.ts';
import type { Sized } from '../../paging/index.ts';

export interface LogFrameRow extends Sized {
  runId: string;
  seq: number;
  ts: Date;
  /** JSON text: `level`, `message`, `fields`, `scope`, `attempt`. Empty where it was not read. */
  payload: string;
  /** Whether more lines of the run follow this one, in the order of the page. */
  hasNext: boolean;
}

/** A line of a page. The line at which a search stopped may match nothing, and has no payload. */
export interface FoundLogRow extends LogFrameRow {
  isMatch: boolean;
}

const params = {
  runIds: uuid.list,
  /** Lines after this `seq`, and before that one. */
  from: bigint,
  before: bigint,
  /** A regular expression that payloads of the wanted levels match. */
  levels: text.orNull,
  scope: text.orNull,
  /** A pattern of `ilike` that payloads with the wanted text match, unless they have escapes. */
  part: text.orNull,
  /** A regular expression that all payloads with the wanted text match; case is ignored. */
  content: text.orNull,
  /** Lines of each run to look through, and their bytes as stored. Then the page ends. */
  scanned: int,
  scannedBytes: bigint,
  /** Lines of each run, at most. */
  limit: int,
  /**
   * The page of a run ends early with the line that crosses this size: a line may hold a
   * megabyte.
   */
  pageBytes: bigint,
  /** Bytes to read at most, of all runs together. */
  maxBytes: bigint,
};

const isMatchSql = `($scope::text is null or coalesce(log_scope, '@root') = $scope)
                     and ($levels::text is null or payload::text ~ $levels)
                     and ($content::text is null
                       or (payload::text ilike $part or strpos(payload::text, '\\') > 0) and payload::text ~* $content)`;

/**
 * Walks the journal's primary key, and stops at the end of the page. `case` hides the kind from the
 * planner: the index of log lines has another order, and would be read whole. Sizes as stored need
 * no look into PostgreSQL's store of large values. Few lines need the slow regular expression.
 */
const logsSql = (order: 'asc' | 'desc'): string => `
  select run_id, seq, ts, bytes, is_match, has_next, upto <= $maxBytes as is_read,
    case when is_match and upto <= $maxBytes then payload::text else '' end as payload
  from (
    select ids.id as run_id, f.seq, f.ts, f.payload, f.bytes, f.is_match, f.is_last or f.found > f.nth as has_next,
      sum(f.bytes) over (order by ids.id, f.seq) as upto
    from unnest($runIds) as ids (id)
    cross join lateral (
      select page.*, sum(page.bytes) over (order by page.seq ${order}) - page.bytes as ahead,
        row_number() over (order by page.seq ${order}) as nth, count(*) over () as found
      from (
        select seq, ts, payload, is_match, is_last, case when is_match then octet_length(payload::text) else 0 end as bytes
        from (
          select seq, ts, payload, nth = $scanned or upto >= $scannedBytes as is_last,
            ${isMatchSql} as is_match
          from (
            select seq, ts, payload, log_scope, pg_column_size(payload) as size, row_number() over lines as nth,
              sum(pg_column_size(payload)) over lines as upto
            from run_frame
            where run_frame.run_id = ids.id and run_frame.seq > $from and run_frame.seq < $before
              and case run_frame.kind when 'log' then true end
            window lines as (order by seq ${order} rows unbounded preceding)
            order by seq ${order}
            limit $scanned
          ) seen
          where upto - size < $scannedBytes
        ) searched
        where is_match or is_last
        order by seq ${order}
        limit $limit + 1
      ) page
    ) f
    where f.ahead < $pageBytes and f.nth <= $limit
  ) bounded
  order by run_id, seq ${order}`;

/** Log lines of runs, oldest first (2.6). */
export const selectRunLogs = statement<FoundLogRow>('selectRunLogs').reads({ params, text: logsSql('asc') });

/** The same, newest first. */
export const selectLatestRunLogs = statement<FoundLogRow>('selectLatestRunLogs').reads({
  params,
  text: logsSql('desc'),
});

import { bigint, statement, uuid } from '../../../db/index.ts';
import type { Sized } from '../../../paging/index.ts';
import type { AttemptOutcome } from '../outcome.ts';

/** An attempt of a delivery (2.9). Without its texts if they were not read. */
export interface AttemptRow extends Sized {
  id: string;
  deliveryId: string;
  attempt: number;
  outcome: AttemptOutcome;
  statusCode: number | null;
  responseSnippet: string | null;
  error: string | null;
  durationMs: number;
  /** JSON text. */
  requestHeaders: string | null;
  /** JSON text; null if there was no response. */
  responseHeaders: string | null;
  createdAt: Date;
}

/**
 * The log of attempts of deliveries, the latest ones up to a limit per delivery, in their order.
 * The deliveries must be of the caller's project. Rides the unique index on delivery and attempt.
 */
export const selectDeliveryAttempts = statement<AttemptRow>('selectDeliveryAttempts').reads({
  params: {
    ids: uuid.list,
    /** The maximum number of attempts per delivery. */
    limit: bigint,
    /** Bytes to read at most. */
    maxBytes: bigint,
  },
  text: `
    select id, delivery_id, attempt, outcome, status_code, duration_ms, created_at, bytes, upto <= $maxBytes as is_read,
      case when upto <= $maxBytes then response_snippet end as response_snippet,
      case when upto <= $maxBytes then error end as error,
      case when upto <= $maxBytes then request_headers end as request_headers,
      case when upto <= $maxBytes then response_headers end as response_headers
    from (
      select sized.*, sum(bytes) over (rows unbounded preceding) as upto
      from (
        select a.*, coalesce(octet_length(a.response_snippet), 0) + coalesce(octet_length(a.error), 0)
          + octet_length(a.request_headers::text) + coalesce(octet_length(a.response_headers::text), 0) as bytes
        from unnest($ids) as wanted (id)
        cross join lateral (
          select * from webhook_attempt o where o.delivery_id = wanted.id order by o.attempt desc limit $limit
        ) a
      ) sized
    ) bounded
    order by delivery_id, attempt
  `,
});

import { bigint, float8, instant, statement } from '../../db/index.ts';

/**
 * Deletes expired answers, oldest first. Rides `inference_cache_created_at_idx`. An answer that was
 * kept again has another `ctid`, so the delete does not find it.
 */
export const deleteExpiredCached = statement<{ deleted: number }>('deleteExpiredCached').writes({
  params: { now: instant, limit: bigint, ttlMs: float8 },
  text: `
    with expired as materialized (
      select ctid as version from inference_cache
      where created_at <= $now - $ttlMs * interval '1 ms'
      order by created_at limit $limit
      for update skip locked
    ),
    gone as (
      delete from inference_cache where ctid = any(array(select version from expired))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
});

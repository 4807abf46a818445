import { bigint, instant, statement } from '../../db/index.ts';

/**
 * Deletes expired keys, oldest first. Rides `dedupe_key_expires_at_idx`. Rows locked by an ingest
 * are skipped, so neither waits for the other. A key that was claimed again has a new `ctid`, so
 * the delete does not find it.
 */
export const deleteExpiredKeys = statement<{ deleted: number }>('deleteExpiredKeys').writes({
  params: { limit: bigint, now: instant },
  text: `
    with expired as materialized (
      select ctid as version from dedupe_key
      where expires_at <= $now
      order by expires_at limit $limit
      for update skip locked
    ),
    gone as (
      delete from dedupe_key where ctid = any(array(select version from expired))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
});

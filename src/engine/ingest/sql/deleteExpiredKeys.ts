import { bigint, instant, statement } from '../../db/index.ts';

/**
 * Deletes keys whose window is over, the oldest first. Rides `dedupe_key_expires_at_idx`. Rows that
 * an ingest holds are passed by, so that neither waits for the other; one that was taken again
 * meanwhile has another version than the one that is looked up here by its address, and stays.
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

import { bigint, float8, instant, statement } from '../../../db/index.ts';

/**
 * Deletes the counts of hours that began long ago, the oldest first. Rides
 * `webhook_source_hour_hour_idx`. A locked row is skipped. A row that was counted up meanwhile has
 * a new `ctid`, so the delete does not find it.
 */
export const deleteOldHours = statement<{ deleted: number }>('deleteOldHours').writes({
  params: { now: instant, keptMs: float8, limit: bigint },
  text: `
    with old as materialized (
      select ctid as version from webhook_source_hour
      where hour <= $now - $keptMs * interval '1 ms'
      order by hour limit $limit
      for update skip locked
    ),
    gone as (
      delete from webhook_source_hour where ctid = any(array(select version from old))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
});

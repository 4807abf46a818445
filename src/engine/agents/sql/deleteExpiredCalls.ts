import { bigint, instant, statement } from '../../db/index.ts';

/**
 * Deletes expired claims, oldest first. Rides `agent_call_expires_at_idx`. A locked row is skipped.
 * A row that was claimed again has a new `ctid`, so the delete does not find it.
 */
export const deleteExpiredCalls = statement<{ deleted: number }>('deleteExpiredCalls').writes({
  params: { limit: bigint, now: instant },
  text: `
    with expired as materialized (
      select ctid as version from agent_call
      where expires_at <= $now
      order by expires_at limit $limit
      for update skip locked
    ),
    gone as (
      delete from agent_call where ctid = any(array(select version from expired))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
});

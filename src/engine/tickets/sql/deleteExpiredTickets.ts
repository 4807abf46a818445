import { bigint, instant, statement } from '../../db/index.ts';

/**
 * Deletes expired tickets, oldest first. Rides `stream_ticket_expires_at_idx`. A row that another
 * scheduler has locked is skipped.
 */
export const deleteExpiredTickets = statement<{ deleted: number }>('deleteExpiredTickets').writes({
  params: { limit: bigint, now: instant },
  text: `
    with expired as materialized (
      select token_hash from stream_ticket
      where expires_at <= $now
      order by expires_at limit $limit
      for update skip locked
    ),
    gone as (
      delete from stream_ticket where token_hash = any(array(select token_hash from expired))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
});

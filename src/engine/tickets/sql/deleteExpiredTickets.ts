import { bigint, deletePageSql, instant, statement } from '../../db/index.ts';

/** Deletes expired tickets. Rides `stream_ticket_expires_at_idx`. */
export const deleteExpiredTickets = statement<{ deleted: number }>('deleteExpiredTickets').writes({
  params: { limit: bigint, now: instant },
  text: deletePageSql('stream_ticket', { column: 'expires_at', before: '$now' }),
});

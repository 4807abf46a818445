import { bigint, deletePageSql, instant, statement } from '../../db/index.ts';

/** Deletes expired claims. Rides `agent_call_expires_at_idx`. */
export const deleteExpiredCalls = statement<{ deleted: number }>('deleteExpiredCalls').writes({
  params: { limit: bigint, now: instant },
  text: deletePageSql('agent_call', { column: 'expires_at', before: '$now' }),
});

import { bigint, deletePageSql, instant, statement } from '../../db/index.ts';

/** Deletes expired keys. Rides `dedupe_key_expires_at_idx`. */
export const deleteExpiredKeys = statement<{ deleted: number }>('deleteExpiredKeys').writes({
  params: { limit: bigint, now: instant },
  text: deletePageSql('dedupe_key', { column: 'expires_at', before: '$now' }),
});

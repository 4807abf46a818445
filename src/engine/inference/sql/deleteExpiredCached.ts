import { bigint, deletePageSql, float8, instant, statement } from '../../db/index.ts';

/** Deletes expired answers. Rides `inference_cache_created_at_idx`. */
export const deleteExpiredCached = statement<{ deleted: number }>('deleteExpiredCached').writes({
  params: { now: instant, limit: bigint, ttlMs: float8 },
  text: deletePageSql('inference_cache', { column: 'created_at', before: "$now - $ttlMs * interval '1 ms'" }),
});

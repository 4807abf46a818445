import { bigint, deletePageSql, float8, instant, statement } from '../../../db/index.ts';

/** Deletes the counts of hours that began long ago. Rides `webhook_source_hour_hour_idx`. */
export const deleteOldHours = statement<{ deleted: number }>('deleteOldHours').writes({
  params: { now: instant, keptMs: float8, limit: bigint },
  text: deletePageSql('webhook_source_hour', { column: 'hour', before: "$now - $keptMs * interval '1 ms'" }),
});

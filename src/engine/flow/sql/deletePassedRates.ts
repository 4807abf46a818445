import { bigint, deletePageSql, instant, statement } from '../../db/index.ts';
import { nowUs } from '../gcra.ts';

/**
 * Deletes rates whose theoretical arrival time is past. Such a rate has the same effect as none.
 * Rides `flow_rate_arrival_us_idx`.
 */
export const deletePassedRates = statement<{ deleted: number }>('deletePassedRates').writes({
  params: { limit: bigint, now: instant },
  text: deletePageSql('flow_rate', { column: 'arrival_us', before: `(select ${nowUs})` }),
});

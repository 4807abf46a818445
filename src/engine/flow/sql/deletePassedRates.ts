import { bigint, instant, statement } from '../../db/index.ts';
import { nowUs } from '../gcra.ts';

/**
 * Deletes rates whose theoretical arrival time is past, the oldest first. Such a rate has the same
 * effect as none. Rides `flow_rate_arrival_us_idx`. Locked rows are skipped. A row that was used
 * meanwhile has a new `ctid`, so the delete does not find it.
 */
export const deletePassedRates = statement<{ deleted: number }>('deletePassedRates').writes({
  params: { limit: bigint, now: instant },
  text: `
    with passed as materialized (
      select ctid as version from flow_rate
      where arrival_us <= (select ${nowUs})
      order by arrival_us limit $limit
      for update skip locked
    ),
    gone as (
      delete from flow_rate where ctid = any(array(select version from passed))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
});

import { statement } from '../../db/index.ts';
import { nowUs } from '../gcra.ts';

/**
 * Deletes rates whose theoretical arrival time is past, the longest first: they say no more than none. Rides
 * `flow_rate_arrival_us_idx`. Rows that somebody is using are passed by; one that was taken on meanwhile has another version than
 * the one that is looked up here by its address, and stays.
 */
export const deletePassedRates = statement<{ limit: number; now: Date | null }, { deleted: number }>({
  name: 'deletePassedRates',
  writes: true,
  text: `
    with passed as materialized (
      select ctid as version from flow_rate
      where arrival_us <= (select ${nowUs('$2')})
      order by arrival_us limit $1
      for update skip locked
    ),
    gone as (
      delete from flow_rate where ctid = any(array(select version from passed))
      returning 1
    )
    select count(*)::int as deleted from gone
  `,
  values: ({ limit, now }) => [limit, now],
});

import { instant, statement } from '../../db/index.ts';

/** Lanes of which the first run is looked at. */
const maxLanes = 500;

/**
 * How long the longest waiting of the first ready runs of 500 lanes has been ready, in seconds; 0
 * without ready runs. One descent of `run_work_ready_idx` a lane, so backlog costs nothing.
 */
export const oldestReady = statement<{ ageS: number }>('oldestReady').reads({
  params: { now: instant },
  text: `
    with recursive head as (
      (select lane_id, position, shift_ms from run_work where state = 'ready'
       order by lane_id, position, run_id limit 1)
      union all
      select next.lane_id, next.position, next.shift_ms from head cross join lateral (
        select lane_id, position, shift_ms from run_work
        where state = 'ready' and lane_id > head.lane_id
        order by lane_id, position, run_id limit 1
      ) next
    )
    select coalesce(greatest(0, extract(epoch from $now) - min(position + coalesce(shift_ms, 0) * 1000) / 1000000.0), 0)::float8
      as age_s
    from (select * from head limit ${maxLanes}) first
  `,
});

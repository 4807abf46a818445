import { int, rowset, statement } from '../../db/index.ts';

/** A lane of a pool with room for `limit` runs. */
export interface PooledLane {
  pool: number;
  laneId: number;
  limit: number;
  /** How many of its runs are looked at. */
  depth: number;
}

interface Row {
  laneId: number;
  /** Its ready runs, as many as were looked at. */
  ready: number;
  /** How many of them are among the first of the pool. */
  share: number;
}

/**
 * Of each lane with ready runs: how many of those there is room for, in order of the whole pool.
 * Locks nothing.
 */
export const peekLanes = statement<Row>('peekLanes').reads({
  params: {
    lanes: rowset({ pool: int, laneId: int, n: int.of((each: PooledLane) => each.limit), depth: int }),
  },
  text: `
    select lane_id, count(*)::int as ready, (count(*) filter (where place <= n))::int as share
    from (
      select d.lane_id, d.n, row_number() over (partition by d.pool order by w.position, w.run_id) as place
      from $lanes as d
      cross join lateral (
        select position, run_id from run_work
        where state = 'ready' and lane_id = d.lane_id
        order by position, run_id limit d.depth
      ) w
    ) line
    group by lane_id
  `,
});

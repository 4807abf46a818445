import { int, rowset, statement } from '../../db/index.ts';

/** A lane of a group with room for `limit` runs. */
export interface PeekedLane {
  group: number;
  laneId: number;
  limit: number;
  /** How many of its runs are examined. */
  depth: number;
}

interface Row {
  laneId: number;
  /** How many of its ready runs are among the first of the group. */
  share: number;
}

/**
 * For each lane that has ready runs: how many of them are among the first of its lane group. Locks
 * no row. Rides `run_work_ready_idx`, one descent for each lane.
 */
export const peekLanes = statement<Row>('peekLanes').reads({
  params: {
    lanes: rowset({
      laneGroup: int.of((each: PeekedLane) => each.group),
      laneId: int,
      n: int.of((each: PeekedLane) => each.limit),
      depth: int,
    }),
  },
  text: `
    select lane_id, (count(*) filter (where place <= n))::int as share
    from (
      select d.lane_id, d.n, row_number() over (partition by d.lane_group order by w.position, w.run_id) as place
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

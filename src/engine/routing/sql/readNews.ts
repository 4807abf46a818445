import { statement } from '../../db/index.ts';

interface Params {
  dispatcherId: string;
  laneIds: readonly number[];
  runIds: readonly string[];
}

export interface NewsRow {
  registry_epoch: number;
  newest_lane: number;
  ready_lanes: number[];
  lost_runs: string[];
}

/**
 * All that a dispatcher asks for while it is idle, in one statement. A lane costs one descent of `run_work_ready_idx`, a
 * run one of the primary key; of projects there are few.
 */
export const readNews = statement<Params, NewsRow>({
  name: 'readNews',
  writes: false,
  text: `
    select
      (select coalesce(sum(registry_version), 0)::int8 from project) as registry_epoch,
      (select coalesce(max(id), 0) from lane) as newest_lane,
      array(
        select served.lane_id from unnest($1::int[]) as served(lane_id)
        where exists (select from run_work w where w.state = 'ready' and w.lane_id = served.lane_id)
      ) as ready_lanes,
      array(
        select held.run_id from unnest($2::uuid[]) as held(run_id)
        where not exists (select from run_work w where w.run_id = held.run_id and w.lease_id = $3)
      ) as lost_runs
  `,
  values: ({ dispatcherId, laneIds, runIds }) => [laneIds, runIds, dispatcherId],
});

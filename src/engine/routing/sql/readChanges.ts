import { int, statement, uuid } from '../../db/index.ts';

export interface ChangesRow {
  registryEpoch: number;
  newestLane: number;
  readyLanes: number[];
  lostRuns: string[];
}

/**
 * All that a dispatcher asks for while it is idle, in one statement. A lane costs one descent of
 * `run_work_ready_idx`, a run one of the primary key; of projects there are few.
 */
export const readChanges = statement<ChangesRow>('readChanges').reads({
  params: { laneIds: int.list, runIds: uuid.list, dispatcherId: uuid },
  text: `
    select
      (select coalesce(sum(registry_version), 0)::int8 from project) as registry_epoch,
      (select coalesce(max(id), 0) from lane) as newest_lane,
      array(
        select served.lane_id from unnest($laneIds) as served(lane_id)
        where exists (select from run_work w where w.state = 'ready' and w.lane_id = served.lane_id)
      ) as ready_lanes,
      array(
        select held.run_id from unnest($runIds) as held(run_id)
        where not exists (select from run_work w where w.run_id = held.run_id and w.lease_id = $dispatcherId)
      ) as lost_runs
  `,
});

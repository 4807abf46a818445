import { statement, uuid } from '../../../db/index.ts';
import type { LaneRef } from './findLanes.ts';

/** The lane of the first call of each run. Rides the primary key. */
export const findRunLanes = statement<LaneRef & { runId: string }>('findRunLanes').reads({
  params: { projectId: uuid, runIds: uuid.list },
  text: `
    select distinct on (run_id) run_id, lane_id, key_id, provider, model
    from inference_call
    where run_id = any($runIds) and project_id = $projectId
    order by run_id, step_index`,
});

import { statement, uuid } from '../../db/index.ts';

/** Lets a run of a simulation wait. It leaves its slot, and keeps its singleton. */
export const restSimulated = statement<{ runId: string }>('restSimulated').writes({
  params: { projectId: uuid, runId: uuid },
  text: `
    update run_work set state = 'parked', lease_id = null
    where run_id = $runId and project_id = $projectId
    returning run_id
  `,
});

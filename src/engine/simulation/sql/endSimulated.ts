import { statement, uuid } from '../../db/index.ts';

/** Ends a run of a simulation: it leaves its slot and its singleton. */
export const endSimulated = statement<{ runId: string }>('endSimulated').writes({
  params: { projectId: uuid, runId: uuid },
  text: 'delete from run_work where run_id = $runId and project_id = $projectId returning run_id',
});

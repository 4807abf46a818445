import { statement, uuid } from '../../db/index.ts';
import type { RunStatus } from '../../runs/index.ts';

export const findRunStatus = statement<{ status: RunStatus }>('findRunStatus').reads({
  params: { projectId: uuid, runId: uuid },
  text: 'select status from run where id = $runId and project_id = $projectId',
});

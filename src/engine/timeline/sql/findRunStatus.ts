import { statement } from '../../db/index.ts';
import type { RunStatus } from '../../runs/index.ts';

export const findRunStatus = statement<{ projectId: string; runId: string }, { status: RunStatus }>({
  name: 'findRunStatus',
  writes: false,
  text: `
    select status
    from run
    where id = $1 and project_id = $2`,
  values: ({ projectId, runId }) => [runId, projectId],
});

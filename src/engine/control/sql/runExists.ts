import { statement } from '../../db/statement.ts';

/** Whether a run exists in a project. */
export const runExists = statement<{ projectId: string; runId: string }, { id: string }>({
  name: 'runExists',
  writes: false,
  text: 'select id from run where id = $2 and project_id = $1',
  values: ({ projectId, runId }) => [projectId, runId],
});

import { statement, uuid } from '../../db/index.ts';

interface Row {
  runId: string;
  app: string;
  workflow: string;
}

/** The workflows of runs. */
export const selectWorkflows = statement<Row>('selectWorkflows').reads({
  params: { runIds: uuid.list },
  text: 'select id as run_id, app, workflow from run where id = any($runIds)',
});

import { statement, uuid } from '../../db/index.ts';

interface Row {
  id: string;
  /** JSON text. */
  input: string;
}

/** The inputs of runs, for policies that look up their keys in them. */
export const loadInputs = statement<Row>('loadInputs').reads({
  params: { projectId: uuid, runIds: uuid.list },
  text: 'select id, input from run where project_id = $projectId and id = any($runIds)',
});

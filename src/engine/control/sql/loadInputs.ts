import { statement, uuid } from '../../db/index.ts';

interface Row {
  id: string;
  /** JSON text. */
  input: string;
}

/** What runs of a project were given, for policies that look up their keys in it. */
export const loadInputs = statement<Row>('loadInputs').reads({
  params: { projectId: uuid, runIds: uuid.list },
  text: 'select id, input from run where project_id = $projectId and id = any($runIds)',
});

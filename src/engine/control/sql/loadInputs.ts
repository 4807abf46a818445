import { statement } from '../../db/index.ts';

interface Row {
  id: string;
  /** JSON text. */
  input: string;
}

/** What runs of a project were given, for policies that look up their keys in it. */
export const loadInputs = statement<{ projectId: string; runIds: readonly string[] }, Row>({
  name: 'loadInputs',
  writes: false,
  text: 'select id, input from run where project_id = $1 and id = any($2::uuid[])',
  values: ({ projectId, runIds }) => [projectId, runIds],
});

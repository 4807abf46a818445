import { getRun, listRuns } from '../../rest/index.ts';
import { listTool, oneTool } from '../catalog/routeTool.ts';

/** 4.4 */
export const listRunsTool = listTool({
  name: 'list_runs',
  toolset: 'runs',
  route: listRuns,
  member: 'runs',
  title: 'List runs',
  description:
    'Finds runs by app, workflow, status, tag, session, event or text, newest first. `since` takes an instant or a span back from now (`2h`). Payloads are left out: `get_run` has them.',
  annotations: { readOnlyHint: true },
  about: (count, hasMore) => `${count} runs.${hasMore ? ' More follow: pass nextCursor as cursor.' : ''}`,
});

/** 4.4 */
export const getRunTool = oneTool({
  name: 'get_run',
  toolset: 'runs',
  route: getRun,
  without: ['wait'],
  title: 'Get a run',
  description:
    'One run with its input, result and error. Large payloads are shortened; `abridged` names them, and `read_payload` reads them whole.',
  annotations: { readOnlyHint: true },
  about: () => 'One run.',
});

import { getDiagnosis, getRun, getRunStats, listLogs, listRuns, listWaiting, valueAt } from '../../rest/index.ts';
import { memberOf } from '../catalog/arguments.ts';
import { listTool, type Row } from '../catalog/listTool.ts';
import { placeOf, placesIn } from '../catalog/places.ts';
import { oneTool } from '../catalog/routeTool.ts';
import type { Path, PayloadPlace, Tool, ToolCall } from '../declare/tool.ts';
import { listRunStepsTool } from './listRunSteps.ts';
import { readPayloadTool } from './readPayload.ts';
import { waitForRunTool } from './waitForRun.ts';

const annotations = { readOnlyHint: true } as const;

/** 4.4 */
const listRunsTool = listTool({
  name: 'list_runs',
  toolset: 'runs',
  route: listRuns,
  member: 'runs',
  title: 'List runs',
  description:
    'Finds runs, newest first, by app, workflow, status, tags, session, event or text. Input, result and stacks are left out: `get_run` has them.',
  annotations,
  entry: withoutStack,
  placeOf: (path, { id }) => placeOf('runId', id, path),
});

/** A run of a list. Twenty stacks would take the room of other runs. */
function withoutStack({ error, ...row }: Row): Row {
  if (typeof error !== 'object' || error === null) return row;
  const { stack: _stack, ...shown }: Row = { ...error };
  return { ...row, error: shown };
}

/** 4.4 */
const getRunTool = oneTool({
  name: 'get_run',
  toolset: 'runs',
  route: getRun,
  without: ['wait'],
  title: 'Get a run',
  description: 'One run with its input, result and error.',
  annotations,
  about: () => 'One run.',
  placeOf: placesIn('runId'),
});

/** 2.6 */
const listRunLogsTool = listTool({
  name: 'list_run_logs',
  toolset: 'runs',
  route: listLogs,
  member: 'logs',
  title: 'List log lines of a run',
  description: 'Log lines of a run, oldest first. `diagnose_run` shows the last ones of a failed run.',
  annotations,
  placeOf: ([head, ...below], { seq }, call) =>
    head === undefined
      ? undefined
      : placeOf('runId', memberOf(call.arguments, 'id'), ['logs', String(seq), head, ...below]),
});

/** 4.4 */
const getRunStatsTool = oneTool({
  name: 'get_run_stats',
  toolset: 'runs',
  route: getRunStats,
  title: 'Count runs',
  description: 'Counts runs by status, with the median and 95th percentile of their durations in ms.',
  annotations,
  about: () => 'Counts of runs by status.',
});

/** Also stands for `GET /runs/{id}/waiting`, whose causes are those of the diagnosis. */
const diagnoseRunTool: Tool = {
  ...oneTool({
    name: 'diagnose_run',
    toolset: 'runs',
    route: getDiagnosis,
    title: 'Diagnose a run',
    description:
      'Why a run failed, was cancelled or does not move, from records alone: verdict, failed step, error, last log lines, like failures within 24 h; or the causes of its wait, until when, and who holds it. `next` names calls that could follow. Begin with this.',
    annotations,
    about: () => 'The diagnosis of one run. `summary` and `why` are words of the service.',
    placeOf: placeInDiagnosis,
  }),
  routes: [getDiagnosis, listWaiting],
  // Errors and log lines of any size are shortened to what a first look needs.
  maxBytes: 8_192,
};

/** Where the error and the log lines of a diagnosis stand in the run. */
function placeInDiagnosis(path: Path, body: unknown, call: ToolCall): PayloadPlace | undefined {
  const [head, part, ...below] = path;
  const id = memberOf(call.arguments, 'id');
  if (head !== 'failure') return undefined;
  if (part === 'error') return placeOf('runId', id, ['error', ...below]);
  if (part !== 'logs' || below.length < 2) return undefined;
  const [index, ...rest] = below;
  const seq = valueAt(body, ['failure', 'logs', String(index), 'seq']);
  return typeof seq === 'number' ? placeOf('runId', id, ['logs', String(seq), ...rest]) : undefined;
}

export const runReads: readonly Tool[] = [
  listRunsTool,
  getRunTool,
  listRunStepsTool,
  listRunLogsTool,
  getRunStatsTool,
  waitForRunTool,
  diagnoseRunTool,
  readPayloadTool,
];

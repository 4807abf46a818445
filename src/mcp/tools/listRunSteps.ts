import { invalid } from '../../engine/errors.ts';
import { listSteps } from '../../rest/index.ts';
import { memberOf } from '../catalog/arguments.ts';
import { listTool, type Row } from '../catalog/listTool.ts';
import { attemptName, placeOf } from '../catalog/places.ts';
import type { ToolCall } from '../declare/tool.ts';

const payloads = ['input', 'output', 'ai'] as const;

/** 2.5 */
export const listRunStepsTool = listTool({
  name: 'list_run_steps',
  toolset: 'runs',
  route: listSteps,
  member: 'steps',
  title: 'List the steps of a run',
  description:
    'Every attempt of every step, in order: name, index, attempt, status, times and the first line of its error. `include` adds payloads. `step` takes a name or an index, and shows whole errors.',
  annotations: { readOnlyHint: true },
  own: {
    include: {
      description: '',
      schema: { type: 'array', items: { type: 'string', enum: payloads } },
      required: false,
      read: () => undefined,
    },
    step: {
      description: '',
      schema: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      required: false,
      read: () => undefined,
    },
  },
  variables(call) {
    const included = includedIn(call);
    const step = stepOf(call);
    return {
      ...Object.fromEntries(payloads.map((each) => [each, included.has(each)])),
      ...(typeof step === 'string' && { name: step }),
      ...(typeof step === 'number' && { index: step }),
    };
  },
  entry: (row, call) => (stepOf(call) === undefined ? withFirstLine(row) : row),
  placeOf: ([head, ...below], { index, attempt }, call) =>
    head === undefined
      ? undefined
      : placeOf('runId', memberOf(call.arguments, 'id'), ['steps', attemptName(index, attempt), head, ...below]),
});

/** A step with the first line of its error, and without the stack. */
function withFirstLine({ error, ...row }: Row): Row {
  if (typeof error !== 'object' || error === null) return row;
  const { name, message }: { name?: unknown; message?: unknown } = error;
  const [line = ''] = String(message).split(/\r?\n/, 1);
  return { ...row, error: { ...(name !== undefined && { name }), message: line } };
}

function includedIn(call: ToolCall): ReadonlySet<string> {
  const value = memberOf(call.arguments, 'include') ?? [];
  const isFine = Array.isArray(value) && value.every((each) => payloads.some((known) => known === each));
  if (!isFine) throw invalid(`include must be a list of ${payloads.join(', ')}`);
  return new Set(value);
}

function stepOf(call: ToolCall): string | number | undefined {
  const value = memberOf(call.arguments, 'step');
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxIndex) return value;
  throw invalid('step must be the name of a step, or its index');
}

const maxIndex = 2_147_483_647;

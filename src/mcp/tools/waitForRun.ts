import { setTimeout as delay } from 'node:timers/promises';
import { invalid } from '../../engine/errors.ts';
import { isId } from '../../engine/ids.ts';
import { requireProject } from '../../engine/keys/index.ts';
import { shownError } from '../../engine/outages.ts';
import { isTerminal, runStatuses } from '../../engine/runs/index.ts';
import { longestPatienceMs, untilEnded } from '../../engine/timeline/index.ts';
import { getRun } from '../../rest/index.ts';
import { type Argument, inputSchemaOf, memberOf } from '../catalog/arguments.ts';
import { bodySchemaOf, withAbridged } from '../catalog/outputSchema.ts';
import { placesIn } from '../catalog/places.ts';
import { oneAnswer, routeRunner } from '../catalog/routeTool.ts';
import type { Tool, ToolCall } from '../declare/tool.ts';

const read = routeRunner(getRun);
const byDefaultMs = 30_000;
/** The interval of progress, in ms. */
const progressMs = 5_000;
/** The delay before the run is read again while the database is away, in ms. */
const rereadMs = 500;

const timeoutMs: Argument = {
  schema: { type: 'integer', minimum: 1, maximum: longestPatienceMs, default: byDefaultMs },
  required: false,
};

export const waitForRunTool: Tool = {
  name: 'wait_for_run',
  toolset: 'runs',
  title: 'Wait for a run',
  description:
    'Waits until a run has ended or needs a decision, and answers the run as `get_run` does. When the time is up it answers the present state: call again to wait on.',
  annotations: { readOnlyHint: true },
  inputSchema: inputSchemaOf({ id: { schema: { type: 'string' }, required: true }, timeoutMs }),
  outputSchema: withAbridged(bodySchemaOf(getRun)),
  isWrite: false,
  routes: [getRun],
  async run(call) {
    const waitMs = timeoutOf(call);
    const endsAt = performance.now() + waitMs;
    const id = memberOf(call.arguments, 'id');
    if (typeof id === 'string' && isId(id)) await wait(call, id, waitMs);
    const { body } = await readUntil(endsAt, call);
    return oneAnswer(call, body, { about: aboutRun, placeOf: placesIn('runId') });
  },
};

/**
 * Waits as `GET /runs/{id}?wait` does: without a statement of its own for each waiter, and without
 * a place among the requests of the key.
 */
async function wait(call: ToolCall, runId: string, waitMs: number): Promise<void> {
  const { engine, principal, turn, signal } = call;
  const awaited = { projectId: requireProject(principal), runId, principal, waitMs, orDecision: true } as const;
  const whenGone = (then: () => void): (() => void) => {
    if (signal.aborted) then();
    signal.addEventListener('abort', then, { once: true });
    return () => signal.removeEventListener('abort', then);
  };
  const waiting = (): Promise<void> => untilEnded(engine, { ...awaited, whenGone });
  const stop = tellProgress(call, waitMs);
  try {
    await (turn ? turn.whileWaiting(waiting) : waiting());
  } finally {
    stop();
  }
}

/** Reads the run. A wait with time left goes on over the loss of the database. */
async function readUntil(endsAt: number, call: ToolCall): ReturnType<typeof read> {
  for (;;) {
    try {
      return await read(call);
    } catch (error) {
      const isBusy = shownError(error)?.kind === 'busy';
      if (!isBusy || call.signal.aborted || performance.now() + rereadMs >= endsAt) throw error;
      await delay(rereadMs);
    }
  }
}

/** Tells how long the call has waited, at once and then regularly. */
function tellProgress(call: ToolCall, waitMs: number): () => void {
  if (!call.wantsProgress) return () => undefined;
  const startedAt = performance.now();
  const tell = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    void call.progress(seconds, `waited ${seconds} s of ${Math.ceil(waitMs / 1000)} s`);
  };
  tell();
  const timer = setInterval(tell, progressMs);
  return () => clearInterval(timer);
}

function timeoutOf(call: ToolCall): number {
  const value = memberOf(call.arguments, 'timeoutMs') ?? byDefaultMs;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > longestPatienceMs)
    throw invalid(`timeoutMs must be an integer from 1 to ${longestPatienceMs}`);
  return value;
}

function aboutRun({ status }: Readonly<Record<string, unknown>>): string {
  const known = runStatuses.find((each) => each === status);
  if (known !== undefined && isTerminal(known)) return `The run has ended: ${known}.`;
  if (known === 'needs_attention') return 'The run needs a decision: list_approvals with its runId shows it.';
  return 'The run has not ended. This is its present state: call again to wait on.';
}

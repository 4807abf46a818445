import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import { lockRuns } from '../work/index.ts';
import { type Closing, closeSteps } from './ledger/closeStep.ts';
import { dropOrphans } from './sql/deleteCalls.ts';
import { lockOverdueCalls, type OverdueRow, overdueCalls } from './sql/overdueCalls.ts';
import { setAsideCall } from './sql/setAsideCall.ts';
import { wakeCapped } from './sql/wakeCapped.ts';

const pageSize = 200;
/** The calls of one transaction. It holds the locks of their runs. */
const batchSize = 50;

/**
 * Fails the steps whose model calls were not answered by their deadline, a page at most. A call in
 * flight is left to its own time limits, and fails here if it is to be sent again. Answers how many
 * calls it ended.
 */
export async function failOverdueCalls(ctx: EngineContext): Promise<number> {
  const overdue = await overdueCalls(ctx.db, { limit: pageSize, now: ctx.clock.sql() });
  let ended = 0;
  for (let at = 0; at < overdue.length; at += batchSize) {
    ended += await failOverdue(ctx, overdue.slice(at, at + batchSize));
  }
  return ended;
}

interface Ref {
  runId: string;
  stepIndex: number;
}

function failOverdue(ctx: EngineContext, refs: readonly Ref[]): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [...new Set(refs.map(({ runId }) => runId))] });
    const now = ctx.clock.sql();
    const dropped = await dropOrphans(tx, { calls: refs });
    const calls = await lockOverdueCalls(tx, { calls: refs, now });
    const paused = calls.filter(({ isPaused }) => isPaused);
    for (const { runId, stepIndex } of paused) {
      await setAsideCall(tx, { runId, stepIndex, isPaused: true, isCapped: false, delayMs: 0, now });
    }
    const late = calls.filter(({ isPaused }) => !isPaused);
    const closings = await Promise.all(late.map((call) => closingOf(ctx, tx, call)));
    await closeSteps({ ctx, tx }, closings);
    const capped = closings.filter(({ definition }) => definition?.flowControl?.cap);
    for (const runId of new Set(capped.map(({ call }) => call.runId))) await wakeCapped(tx, { runId, now });
    return dropped.length + calls.length;
  });
}

async function closingOf(ctx: EngineContext, tx: Transaction, call: OverdueRow): Promise<Closing> {
  const { runId, stepIndex, attempt, provider, model, projectId, app, workflow } = call;
  const definition = (await ctx.registry.snapshotWithin(tx, projectId)).workflow(app, workflow);
  const error = { name: 'InferenceError', message: overdueText(ctx.settings.inference.deadlineMs, call) };
  const end = { kind: 'failed', error, ai: {}, mayRetry: true } as const;
  return { call: { runId, stepIndex, attempt, provider, model }, end, definition };
}

/** The reason that an operator needs: what kept the call waiting. */
function overdueText(deadlineMs: number, call: OverdueRow): string {
  return `the model did not answer within ${deadlineMs} ms: ${cause(call)}`;
}

function cause({ heldSince, heldFor, isCapped, lastError, wasClaimed, inFlight }: OverdueRow): string {
  if (heldSince) return `the lane is held since ${heldSince.toISOString()}: ${heldFor ?? 'no reason is known'}`;
  if (isCapped) return 'it waited for other calls of the run, which may reach its cap';
  if (lastError !== null) return `the last request failed: ${lastError}`;
  if (!wasClaimed && inFlight === 0) return 'no process with the role inference took the call';
  return `it waited for its turn, and ${inFlight} calls of the same key were in flight`;
}

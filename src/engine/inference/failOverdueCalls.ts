import type { EngineContext } from '../context.ts';
import { lockRuns } from '../work/index.ts';
import { closeStep } from './ledger/closeStep.ts';
import { dropOrphan } from './sql/dropOrphan.ts';
import { lockOverdueCall, type OverdueRow, overdueCalls } from './sql/overdueCalls.ts';
import { setAsideCall } from './sql/setAsideCall.ts';
import { wakeCapped } from './sql/wakeCapped.ts';

const pageSize = 200;

/**
 * Fails the steps whose model calls were not answered by their deadline, a page at most. A call in
 * flight is left to its own time limits, and fails here if it is to be sent again. Answers how many
 * calls it ended.
 */
export async function failOverdueCalls(ctx: EngineContext): Promise<number> {
  const overdue = await overdueCalls(ctx.db, { limit: pageSize, now: ctx.clock.sql() });
  let ended = 0;
  for (const call of overdue) if (await failOverdue(ctx, call)) ended += 1;
  return ended;
}

interface Ref {
  runId: string;
  stepIndex: number;
}

function failOverdue(ctx: EngineContext, { runId, stepIndex }: Ref): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [runId] });
    const now = ctx.clock.sql();
    const [call] = await lockOverdueCall(tx, { runId, stepIndex, now });
    if (!call) return (await dropOrphan(tx, { runId, stepIndex })).length > 0;
    if (call.isPaused) {
      await setAsideCall(tx, { runId, stepIndex, isPaused: true, isCapped: false, delayMs: 0, now });
      return true;
    }
    const { projectId, app, workflow, attempt, provider, model } = call;
    const definition = (await ctx.registry.snapshotWithin(tx, projectId)).workflow(app, workflow);
    const error = { name: 'InferenceError', message: overdueText(ctx.settings.inference.deadlineMs, call) };
    const end = { kind: 'failed', error, ai: {}, mayRetry: true } as const;
    await closeStep({ ctx, tx }, { runId, stepIndex, attempt, provider, model }, { end, definition });
    await wakeCapped(tx, { runId, now });
    return true;
  });
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

import type { StartedStep } from '@holdfast/sdk/protocol';
import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import { retryTransient } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import type { Pass } from './pass.ts';
import { stepFault } from './readOpcodes.ts';
import { recordStarted, type StartedRow } from './sql/recordStarted.ts';

/** The steps of one message, numbered. */
type Message = readonly StartedRow[];

/** One flush at a time: the statement must not take connections from commits. */
const batcherOf = perEngine(
  (ctx) =>
    new Batcher<Message, true>({
      flush: (messages) => flush(ctx, messages),
      maxItems: 100,
      maxInFlight: 1,
      maxQueued: 10_000,
    }),
);

/**
 * Records the steps that a runner has been executing for a while, as `running` (rulings 3). The
 * record holds while the lease does, and ends with the pass. It is for people only: no pass waits
 * for it, and a failure changes nothing but what they see. Never rejects. `invokedMs`: since the
 * invoke was sent.
 */
export async function recordStartedSteps(
  ctx: EngineContext,
  pass: Pass,
  { steps, invokedMs }: { steps: readonly StartedStep[]; invokedMs: number },
): Promise<void> {
  const rows = steps.flatMap((step) => {
    if (stepFault(step.id, step.name) !== undefined) return [];
    const numbers = pass.started.begin(step, pass.memo, { claimNo: pass.claimNo, now: pass.dbNow });
    const elapsedMs = Math.min(step.elapsedMs, invokedMs);
    return numbers ? [{ pass, claimNo: pass.claimNo, stepId: step.id, name: step.name, elapsedMs, ...numbers }] : [];
  });
  if (rows.length === 0) return;
  try {
    await batcherOf(ctx).add(rows);
  } catch (error) {
    ctx.log.warn({ err: error, runId: pass.runId }, 'recording started steps failed');
  }
}

async function flush(ctx: EngineContext, messages: readonly Message[]): Promise<true[]> {
  const steps = messages.flat();
  const told = await retryTransient(() => recordStarted(ctx.db, { steps, now: ctx.clock.sql() }));
  const runIds = new Set(told.map(({ runId }) => runId));
  const runs = new Set(steps.flatMap(({ pass }) => (runIds.has(pass.runId) ? [pass] : [])));
  if (runs.size > 0) ctx.db.afterCommit(() => ctx.bus.emit('run.moved', { runs: [...runs], goesOn: true }));
  return messages.map(() => true);
}

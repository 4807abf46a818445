import type { EngineContext } from '../../context.ts';
import { oneTrip } from '../../db/index.ts';
import type { Definition } from '../../model/index.ts';
import { announceRunning, announceSettled, expectWake, loadMemos, lockRuns } from '../../work/index.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';
import { type TakenRow, takeAnswer } from '../sql/takeAnswer.ts';
import { spentBy, storable } from './sendRecord.ts';
import type { EndedSend, Settlement } from './settleCall.ts';
import { stepJournal } from './stepJournal.ts';

/** An answer to the only send of a call, with the output of its step. */
interface SoleAnswer {
  processId: string;
  send: EndedSend & { startedAt: Date };
  outcome: Extract<Settlement['outcome'], { kind: 'succeeded' }>;
}

/**
 * The settlement of a call whose first send was answered. Undefined: it is another one, or other
 * sends, calls of the run or buckets have to be looked at.
 */
export function soleAnswer(
  { processId, send, outcome }: Settlement,
  definition: Definition | undefined,
): SoleAnswer | undefined {
  const { cap, tokenThrottle } = definition?.flowControl ?? {};
  if (cap || tokenThrottle || outcome.kind !== 'succeeded') return undefined;
  if (send?.startedAt === undefined || send.ending.outcome !== 'answered' || send.number !== 1) return undefined;
  return { processId, send: { ...send, startedAt: send.startedAt }, outcome };
}

/**
 * Settles the step of such a call in one round trip. If a runner of this process has a free slot,
 * the run that this wakes is leased by the same commit. False: nothing was settled, and
 * `settleCall` decides why.
 */
export async function settleAnswer(ctx: EngineContext, call: LeasedCall, answer: SoleAnswer): Promise<boolean> {
  const { runId, runLaneId } = call;
  const wake = expectWake(ctx, { runId, laneId: runLaneId });
  const parts = [
    lockRuns.part({ runIds: [runId] }),
    takeAnswer.part({ ...answerRow(call, answer), dispatcherId: wake?.dispatcherId, now: ctx.clock.sql() }),
  ] as const;
  try {
    const [, [run], steps = []] = await (wake
      ? oneTrip(ctx.db, ...parts, loadMemos.part({ runIds: [runId] }))
      : oneTrip(ctx.db, ...parts));
    if (run) announce(ctx, run);
    wake?.committed(run?.isLeased ? run : undefined, steps);
    if (run?.hasWaiting) ctx.bus.emit('inference.due', {});
    return run !== undefined;
  } catch (error) {
    wake?.failed();
    throw error;
  }
}

function announce(ctx: EngineContext, run: TakenRow): void {
  const { id: runId, projectId, app, workflow, laneId, isWoken, isLeased } = run;
  const settled = { runId, projectId, app, workflow, laneId, becameReady: isWoken && !isLeased, dueInMs: null };
  announceSettled(ctx, [settled]);
  if (isLeased) announceRunning(ctx, run);
}

function answerRow(call: LeasedCall, { processId, send, outcome }: SoleAnswer) {
  const { runId, stepIndex, attempt, claimNo, app, workflow, keyId, laneId } = call;
  const { number, startedAt, latencyMs, ending } = send;
  const { tokensIn = null, tokensOut = null, cost = null, cacheHit } = spentBy(call, send);
  const requestId = ending.requestId === undefined ? null : storable(ending.requestId);
  const recorded = { number, status: ending.status ?? null, requestId, tokensIn, tokensOut, cost, latencyMs };
  const billed = { isBilled: true, billedIn: tokensIn, billedOut: tokensOut };
  const shown = { runId, stepIndex, ...recorded, ...billed, outcome: 'answered', startedAt, ms: null, error: null };
  const { ai, usage } = stepJournal(call, [shown], outcome.ai);
  const { output } = outcome;
  return {
    ...recorded,
    ...{ processId, runId, stepIndex, attempt, claimNo, app, workflow, keyId, laneId, cacheHit, output, ai, usage },
  };
}

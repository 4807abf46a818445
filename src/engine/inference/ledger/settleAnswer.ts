import type { EngineContext } from '../../context.ts';
import { oneTrip } from '../../db/index.ts';
import type { Definition } from '../../model/index.ts';
import { announceSettled, lockRuns, planWake, settleSteps } from '../../work/index.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';
import { noteUse } from '../sql/noteUse.ts';
import { takeAnswer } from '../sql/takeAnswer.ts';
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
 * calls, buckets or sends have to be looked at.
 */
export function soleAnswer(
  call: LeasedCall,
  { processId, send, outcome }: Settlement,
  definition: Definition | undefined,
): SoleAnswer | undefined {
  const { cap, tokenThrottle } = definition?.flowControl ?? {};
  if (cap || tokenThrottle || outcome.kind !== 'succeeded' || call.sends > 0 || call.afterUnknown) return undefined;
  if (send?.startedAt === undefined || send.ending.outcome !== 'answered' || send.number !== 1) return undefined;
  return { processId, send: { ...send, startedAt: send.startedAt }, outcome };
}

/**
 * Settles the step of such a call in one round trip. If a runner of this process has a free slot,
 * the run that this wakes is leased by the same commit. False: nothing was settled, because the
 * call ended, was claimed again, or its process was found dead.
 */
export async function settleAnswer(ctx: EngineContext, call: LeasedCall, answer: SoleAnswer): Promise<boolean> {
  const { runId, runLaneId } = call;
  const parts = partsOf(ctx, call, answer);
  const wake = planWake(ctx, { runId, laneId: runLaneId });
  if (!wake) {
    const [, taken, settled, [lane]] = await oneTrip(ctx.db, ...parts);
    announceSettled(ctx, settled);
    if (lane?.hasWaiting) ctx.bus.emit('inference.due', {});
    return taken.length > 0;
  }
  try {
    const [, taken, settled, [lane], leased, steps] = await oneTrip(ctx.db, ...parts, wake.lease, wake.memo);
    announceSettled(ctx, settled, { isLeased: leased.length > 0 });
    wake.committed(leased, steps);
    if (lane?.hasWaiting) ctx.bus.emit('inference.due', {});
    return taken.length > 0;
  } catch (error) {
    wake.failed();
    throw error;
  }
}

function partsOf(ctx: EngineContext, call: LeasedCall, { processId, send, outcome }: SoleAnswer) {
  const { runId, stepIndex, attempt, claimNo, app, workflow, keyId, laneId } = call;
  const now = ctx.clock.sql();
  const { tokensIn, tokensOut, cost, cacheHit } = spentBy(call, send);
  const { number, startedAt, latencyMs, ending } = send;
  const { status = null, requestId } = ending;
  const figures = { number, status, requestId: requestId === undefined ? null : storable(requestId) };
  const spent = { tokensIn: tokensIn ?? null, tokensOut: tokensOut ?? null, cost: cost ?? null };
  const row = { outcome: 'answered', startedAt, ms: latencyMs, error: null, isBilled: true, latencyMs, ...figures };
  const billed = { billedIn: spent.tokensIn, billedOut: spent.tokensOut };
  const journal = stepJournal(call, [{ ...row, ...spent, ...billed }], outcome.ai);
  const step = { runId, stepIndex, attempt, ...journal, isDecision: false, endsCall: true };
  const end = { status: 'succeeded', output: outcome.output, error: undefined, retryInMs: undefined } as const;
  return [
    lockRuns.part({ runIds: [runId] }),
    takeAnswer.part({
      ...{ processId, runId, stepIndex, attempt, claimNo, app, workflow, ms: latencyMs, cacheHit, now },
      ...figures,
      ...spent,
    }),
    settleSteps.part({ settlements: [{ ...step, ...end }], now }),
    noteUse.part({
      ...{ keyId, laneId, refusal: undefined, startedAt, now },
      isAnswered: true,
      limit: ctx.settings.limits.inferenceConcurrency,
    }),
  ] as const;
}

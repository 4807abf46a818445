import { type Cap, type CappedSpend, noSpend, readRunSpends } from '../../ai/index.ts';
import { drawConsequencesSoon, endRunsWithin } from '../../consequences/index.ts';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import { lockRuns } from '../../work/index.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';
import type { Price } from '../request/inferRequest.ts';
import { dropOrphans } from '../sql/deleteCalls.ts';
import { insertSend } from '../sql/insertSend.ts';
import { readSendState } from '../sql/readSendState.ts';
import { setAsideCall } from '../sql/setAsideCall.ts';
import { judgeCap, reservationOf } from './reservation.ts';

export interface SendQuestion {
  processId: string;
  /** The price of the model, for the reservation; undefined: unpriced. */
  price: Price | undefined;
}

/**
 * - `send`: the send is in the ledger; the request may leave now.
 * - `waits`: the lane is held, or other calls of the run may reach its cap. The call is freed.
 * - `paused`: the run is paused, or about to be. The call is freed.
 * - `halted`: the cap of the run is reached. The run has failed.
 * - `lost`: the call ended, or is not leased under this claim any more.
 */
export type SendStart =
  | { kind: 'send'; number: number; idempotencyKey: string; startedAt: Date }
  | { kind: 'waits' | 'paused' | 'halted' | 'lost' };

/** A call that waits for others of its run is looked at again after this time, in ms. */
const lookAgainMs = 15_000;

/**
 * Records a send before its first byte leaves. The lock of the run orders the sends of the run, so
 * that each counts the reservations of those before it (2.2 `cap`).
 *
 * A call that has a send under way has not sent it: the answer of its `beginSend` was lost. A
 * repetition answers the same send.
 */
export async function beginSend(ctx: EngineContext, call: LeasedCall, question: SendQuestion): Promise<SendStart> {
  const { projectId, app, workflow, runId, stepIndex, claimNo } = call;
  const { processId, price } = question;
  const cap = (await ctx.registry.snapshot(projectId)).workflow(app, workflow)?.flowControl?.cap;
  return ctx.db.transaction(async (tx): Promise<SendStart> => {
    await lockRuns(tx, { runIds: [runId] });
    const now = ctx.clock.sql();
    const [state] = await readSendState(tx, { processId, runId, stepIndex, claimNo, now });
    if (!state?.isWanted) {
      await dropOrphans(tx, { calls: [{ runId, stepIndex }] });
      return { kind: 'lost' };
    }
    const { sends, idempotencyKey, begunAt } = state;
    if (begunAt) return { kind: 'send', number: sends, idempotencyKey, startedAt: begunAt };
    const setAside = { runId, stepIndex, isPaused: false, isCapped: false, delayMs: 0, now };
    if (state.isPaused) {
      await setAsideCall(tx, { ...setAside, isPaused: true });
      return { kind: 'paused' };
    }
    const { others, reservedTokens, reservedCost } = state;
    const reserved = { sends: others, tokens: reservedTokens, cost: reservedCost };
    const verdict = judgeCap(await spendOf(tx, runId, cap), reserved);
    if (verdict.kind === 'reached') return halt(ctx, tx, call, verdict.reason);
    if (verdict.kind === 'waits' || state.isHeld) {
      const isCapped = verdict.kind === 'waits';
      await setAsideCall(tx, { ...setAside, isCapped, delayMs: isCapped ? lookAgainMs : 0 });
      return { kind: 'waits' };
    }
    const { tokens, cost } = reservationOf(call, price);
    const reserve = { reservedTokens: tokens, reservedCost: cost };
    const [send] = await insertSend(tx, { processId, runId, stepIndex, ...reserve, now });
    return send ? { kind: 'send', ...send } : { kind: 'lost' };
  });
}

async function spendOf(tx: Transaction, runId: string, cap: Cap | undefined): Promise<CappedSpend | undefined> {
  if (!cap) return undefined;
  return { cap, spend: (await readRunSpends(tx, [runId])).get(runId) ?? noSpend };
}

/** Fails a run whose cap is reached. Its calls end with it. */
async function halt(
  ctx: EngineContext,
  tx: Transaction,
  { runId, projectId }: LeasedCall,
  reason: string,
): Promise<SendStart> {
  const error = JSON.stringify({ name: 'BudgetError', message: reason });
  const ending = { status: 'failed', ends: [{ runId, error }], projectId, onlyStranded: false, reason } as const;
  await endRunsWithin(ctx, tx, ending);
  tx.afterCommit(() => drawConsequencesSoon(ctx, [runId]));
  return { kind: 'halted' };
}

import { amendRecorded, recordUsage } from '../../ai/index.ts';
import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import { newId } from '../../ids.ts';
import type { Definition } from '../../model/index.ts';
import { lockRuns } from '../../work/index.ts';
import type { SendEnding } from '../modelAnswer.ts';
import type { LeasedCall } from '../queue/leasedCall.ts';
import { endSend } from '../sql/endSend.ts';
import { holdLane } from '../sql/holdLane.ts';
import { noteUse } from '../sql/noteUse.ts';
import { postponeCall } from '../sql/postponeCall.ts';
import { wakeCapped } from '../sql/wakeCapped.ts';
import { closeSteps, type StepEnd } from './closeStep.ts';
import { spentBy, storable, usageOf } from './sendRecord.ts';
import { settleAnswer, soleAnswer } from './settleAnswer.ts';
import { showLateSends } from './showLateSends.ts';

/**
 * What follows for a call.
 * - `succeeded`: its step has this output (JSON text).
 * - `failed`: its step fails, for good, or to be retried as the workflow's `retry` says.
 * - `again`: it is sent again after a time. `failed`: this counts as a failure. `reask`: this
 *   counts as a reask, and the request is replaced.
 * - `held`: its lane is held, for `forMs` or else for 1 s doubling to 60 s; then it is sent again.
 */
export type CallOutcome =
  | (StepEnd & {
      /** What the lane and the key say about a refusal for good. */
      refusal?: string | undefined;
    })
  | { kind: 'again'; inMs: number; reask?: ReaskedRequest | undefined; failed?: true | undefined }
  | { kind: 'held'; forMs: number | undefined; reason: string };

/** A request that asks again: sealed, and its bytes in the clear. */
export interface ReaskedRequest {
  request: Buffer;
  requestBytes: number;
}

/** A send that ended. */
export interface EndedSend {
  number: number;
  ending: SendEnding;
  /** USD; undefined: unpriced. */
  cost: number | undefined;
  /** Whether the call is eligible for the cache, which had no answer. */
  isCacheMiss?: boolean | undefined;
  latencyMs: number;
  /** When it began, as the ledger says; undefined: to be read. */
  startedAt?: Date | undefined;
}

export interface Settlement {
  processId: string;
  /** Undefined: nothing was sent. */
  send?: EndedSend | undefined;
  outcome: CallOutcome;
}

/**
 * - `settled`: the outcome is recorded.
 * - `late`: the call ended, or was claimed again; only the end of the send is recorded.
 * - `lost`: the same without a send.
 */
export type Settled = 'settled' | 'late' | 'lost';

/**
 * Records the end of a send, and what follows for the call: its step settles and wakes the run, or
 * it is sent again. All is one transaction, under the lock of the run.
 *
 * The fence is `claim_no`. An outcome is taken until the call is claimed again, also if the lease
 * has run out. A later one, or one of a call that ended, changes nothing but the ledger and the
 * spend. A repeated one finds the fence closed.
 */
export async function settleCall(ctx: EngineContext, call: LeasedCall, settlement: Settlement): Promise<Settled> {
  const { projectId, app, workflow, runId } = call;
  const definition = (await ctx.registry.snapshot(projectId)).workflow(app, workflow);
  const sole = soleAnswer(settlement, definition);
  if (sole && (await settleAnswer(ctx, call, sole))) return 'settled';
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [runId] });
    const scene: Scene = { ctx, tx, definition, call };
    const { isCurrent, isLeased, wasUnknown, startedAt } = await recordEnd(scene, settlement.send);
    const { outcome, send } = settlement;
    // The rescue has counted the failure, and made the call due. Its process may have claimed it
    // again.
    const isCounted = wasUnknown && send?.ending.outcome === 'unknown' && outcome.kind === 'again';
    if (!isCurrent && send) await showLateSends(tx, call);
    if (!isCurrent || (isCounted && !isLeased)) {
      if (send) await wakeOthers(scene);
      return send ? 'late' : 'lost';
    }
    await follow(scene, isCounted ? { ...settlement, outcome: { ...outcome, failed: undefined } } : settlement);
    await noteEnd(scene, settlement, startedAt);
    return 'settled';
  });
}

interface Scene {
  ctx: EngineContext;
  tx: Transaction;
  definition: Definition | undefined;
  call: LeasedCall;
}

/** Ends the send in the ledger, and records what it spent, or may have spent. */
async function recordEnd(
  { ctx, tx, definition, call }: Scene,
  send: EndedSend | undefined,
): Promise<{ isCurrent: boolean; isLeased: boolean; wasUnknown: boolean; startedAt: Date | null }> {
  const { runId, stepIndex, attempt, claimNo, projectId, app, workflow } = call;
  const fence = { runId, stepIndex, attempt, claimNo, now: ctx.clock.sql() };
  const [row] = await endSend(tx, { ...fence, ...ledgerRow(send) });
  if (!row) throw new Error('the end of a send was not answered');
  const { isCurrent, isLeased, lastOutcome, isRecorded, startedAt } = row;
  const wasUnknown = lastOutcome === 'unknown';
  if (send && isRecorded) {
    const spender = { projectId, runId, app, workflow, definition };
    const usage = spentBy(call, send);
    const isBilled = send.ending.outcome !== 'refused';
    if (wasUnknown) await amendRecorded({ ctx, tx }, spender, { ...usage, isBilled });
    else if (isBilled) await recordUsage({ ctx, tx }, spender, [usage]);
  }
  return { isCurrent, isLeased, wasUnknown, startedAt };
}

/** The send as the ledger keeps it. */
function ledgerRow(send: EndedSend | undefined) {
  if (!send) return { hasSend: false, number: 0, outcome: 'unknown' } as const;
  const { number, ending } = send;
  const { outcome, status, requestId } = ending;
  const { tokensIn, tokensOut } = usageOf(ending);
  const error = ending.outcome === 'answered' ? undefined : storable(ending.message);
  return {
    hasSend: true,
    number,
    outcome,
    status,
    requestId: requestId && storable(requestId),
    tokensIn,
    tokensOut,
    error,
  };
}

/** Settles the step, or frees the call until it is sent again. */
async function follow({ ctx, tx, definition, call }: Scene, { outcome, send }: Settlement): Promise<void> {
  const { runId, stepIndex } = call;
  if (outcome.kind === 'succeeded' || outcome.kind === 'failed') {
    if (!send && outcome.ai.cacheHit === true) await recordHit({ ctx, tx, definition, call });
    return closeSteps({ ctx, tx }, [{ call, end: outcome, definition }]);
  }
  const isAgain = outcome.kind === 'again';
  await postponeCall(tx, {
    runId,
    stepIndex,
    inMs: isAgain ? outcome.inMs : 0,
    failures: isAgain && outcome.failed ? 1 : 0,
    reasked: isAgain && outcome.reask ? 1 : 0,
    request: isAgain ? outcome.reask?.request : undefined,
    requestBytes: isAgain ? outcome.reask?.requestBytes : undefined,
    idempotencyKey: send && send.ending.outcome !== 'unknown' ? newId() : null,
    now: ctx.clock.sql(),
  });
}

/** An answer of the cache counts as a call that spent nothing (8). */
function recordHit({ ctx, tx, definition, call }: Scene): Promise<void> {
  const { projectId, runId, app, workflow, stepIndex, attempt, model } = call;
  const nothing = { tokensIn: 0, tokensOut: 0, cost: undefined, latencyMs: undefined, cacheHit: true };
  const hit = { stepIndex, attempt, send: 0, model, unknown: false, ...nothing };
  return recordUsage({ ctx, tx }, { projectId, runId, app, workflow, definition }, [hit]);
}

/** Wakes calls of the run that wait because of its cap: a send has ended. */
async function wakeOthers({ ctx, tx, definition, call: { runId } }: Scene): Promise<void> {
  if (!definition?.flowControl?.cap) return;
  const woken = await wakeCapped(tx, { runId, now: ctx.clock.sql() });
  if (woken.length > 0) tx.afterCommit(() => ctx.bus.emit('inference.due', {}));
}

/** Notes the end for the lane and the key, and wakes the calls that waited for it. */
async function noteEnd(scene: Scene, { outcome, send }: Settlement, startedAt: Date | null): Promise<void> {
  const { ctx, tx, call } = scene;
  const { keyId, laneId } = call;
  const now = ctx.clock.sql();
  await wakeOthers(scene);
  if (!send) return;
  const refusal = outcome.kind === 'failed' && outcome.refusal !== undefined ? storable(outcome.refusal) : undefined;
  const [lane] = await noteUse(tx, {
    ...{ keyId, laneId, refusal, startedAt, now },
    isAnswered: send.ending.outcome === 'answered',
    limit: ctx.settings.limits.inferenceConcurrency,
  });
  if (outcome.kind === 'held') {
    await holdLane(tx, { laneId, forMs: outcome.forMs, reason: storable(outcome.reason), startedAt, now });
  }
  if (lane?.hasWaiting === true) tx.afterCommit(() => ctx.bus.emit('inference.due', {}));
}

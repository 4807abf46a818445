import type { EngineContext } from '../../context.ts';
import type { Queryable } from '../../db/index.ts';
import { newId } from '../../ids.ts';
import { type ClaimedLane, type LaneLimits, type LeasedDelivery, leaseIn } from './claimDeliveries.ts';
import { type AttemptResult, planRetry } from './retryPlan.ts';
import { settleAttempts } from './sql/settleAttempts.ts';
import { tallyOf } from './tally.ts';

/** An attempt that has ended. */
export interface EndedAttempt extends AttemptResult {
  delivery: LeasedDelivery;
  durationMs: number;
  /** Why there is no answer. Without U+0000. */
  error?: string | undefined;
  /** The beginning of the answer. Without U+0000. */
  responseSnippet?: string | undefined;
  /** JSON text: an object of strings, or of arrays of strings. */
  requestHeaders: string;
  responseHeaders?: string | undefined;
}

export interface Settlement {
  /** Failures in a row of the lanes whose attempts were settled. */
  failures: Map<string, number>;
  /** Endpoints that have failed for longer than the limit. */
  failing: { projectId: string; endpointId: string }[];
  /** The ms until the first of the settled deliveries is attempted again. */
  nextInMs: number | undefined;
  /** What the sender may attempt instead. */
  claimed: ClaimedLane[];
}

export interface SettleQuestion extends LaneLimits {
  senderId: string;
  /** In the order in which they ended. */
  attempts: readonly EndedAttempt[];
  /** Lanes in which more is due. The settled ones among them are claimed again at once. */
  hungry: ReadonlySet<string>;
  /** The number of deliveries to lease again at most. */
  room: number;
}

/**
 * Records attempts, and what follows from them. An attempt whose lease has ended changes nothing.
 * The same transaction leases further deliveries of the lanes that became free.
 */
export async function settleDeliveries(ctx: EngineContext, question: SettleQuestion): Promise<Settlement> {
  const { hungry, room } = question;
  const rows = question.attempts
    .map((attempt, n) => ({ ...toRow(ctx, attempt), n, attemptId: newId() }))
    .sort((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));
  const { webhookDisableAfterMs: disableAfterMs } = ctx.settings;
  const settle = (db: Queryable) =>
    settleAttempts(db, { senderId: question.senderId, outcomes: rows, disableAfterMs, now: ctx.clock.sql() });
  if (hungry.size === 0 || room < 1) return summarize(ctx, rows, { settled: await settle(ctx.db), claimed: [] });
  const answer = await ctx.db.transaction(async (tx) => {
    const settled = await settle(tx);
    // The statement has locked these lanes.
    const laneIds = lanesOf(settled).filter((lane) => hungry.has(lane));
    const perLane = Math.max(1, Math.floor(room / Math.max(1, laneIds.length)));
    const { lanes } = await leaseIn(ctx, tx, { ...question, laneIds: laneIds.slice(0, room), perLane });
    return { settled, claimed: lanes };
  });
  return summarize(ctx, rows, answer);
}

type Settled = Awaited<ReturnType<typeof settleAttempts>>;

/** Lanes that have a row, so that their leases can be counted. */
const lanesOf = (settled: Settled): string[] => [
  ...new Set(settled.flatMap(({ lane, failures }) => (failures === null ? [] : [lane]))),
];

function toRow(ctx: EngineContext, { delivery, retryAfterMs, ...attempt }: EndedAttempt) {
  const { deliveryId, claimNo, spent } = delivery;
  const { webhookBackoffMs: backoffMs } = ctx.settings;
  const result = { outcome: attempt.outcome, statusCode: attempt.statusCode, retryAfterMs };
  const consequence = planRetry(result, { spent, backoffMs, random: Math.random() });
  return { ...attempt, ...consequence, deliveryId, claimNo };
}

function summarize(
  ctx: EngineContext,
  rows: readonly ReturnType<typeof toRow>[],
  { settled, claimed }: { settled: Settled; claimed: ClaimedLane[] },
): Settlement {
  const kept = new Map(settled.map((row) => [row.deliveryId, row]));
  const failing = new Map<string, string>();
  let nextInMs: number | undefined;
  for (const { deliveryId, outcome, delayMs } of rows) {
    const row = kept.get(deliveryId);
    if (!row) continue;
    tallyOf(ctx).ended(outcome);
    if (delayMs !== undefined) nextInMs = Math.min(nextInMs ?? delayMs, delayMs);
    if (row.isFailingLong) failing.set(row.lane, row.projectId);
    ctx.bus.emit('delivery.changed', { projectId: row.projectId, deliveryId });
  }
  return {
    failures: new Map(settled.map(({ lane, failures }) => [lane, failures ?? 0])),
    failing: [...failing].map(([endpointId, projectId]) => ({ projectId, endpointId })),
    nextInMs,
    claimed,
  };
}

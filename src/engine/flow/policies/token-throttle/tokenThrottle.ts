import { z } from 'zod';
import type { Definition } from '../../../model/index.ts';
import {
  type AdmissionTransaction,
  type Ask,
  durationMs,
  keepPolicies,
  key,
  keyOfScope,
  maxStateRows,
  ofScope,
  type Policy,
  policyState,
  type RecordingTransaction,
  type StartCandidate,
  tokenCount,
} from '../../index.ts';
import { debitTokens } from './sql/debitTokens.ts';
import { type BucketRef, findDrained } from './sql/findDrained.ts';
import { listTokenBuckets } from './sql/listTokenBuckets.ts';

/**
 * Delays a start whose bucket is drained until the bucket holds tokens again. AI steps may drain it
 * further meanwhile, so the start is checked again at that time (`heldUntil`).
 */
async function delay({ ctx, tx }: AdmissionTransaction, asks: readonly Ask<'tokenThrottle', StartCandidate>[]) {
  const buckets = new Map<string, BucketRef>();
  const names = asks.map(({ candidate: { run }, policy: { scope, perMs } }) => {
    const { projectId, app, workflow } = run;
    const name = JSON.stringify([projectId, app, workflow, scope]);
    buckets.set(name, { projectId, app, workflow, scope, perMs });
    return name;
  });
  const known = [...buckets.keys()];
  const drained = await findDrained(tx, { buckets: [...buckets.values()], now: ctx.clock.sql() });
  const refills = new Map(drained.map((row) => [known[row.ord], row.refilledAt]));
  asks.forEach(({ candidate }, position) => {
    const refilledAt = refills.get(names[position]);
    if (refilledAt && !(candidate.startAt && candidate.startAt >= refilledAt)) candidate.startAt = refilledAt;
  });
}

/**
 * Debits the tokens of a run from its bucket, if its workflow has one. The caller has recorded the
 * spend in this transaction.
 */
export async function debitSpent(
  { ctx, tx }: RecordingTransaction,
  { app, name: workflow, flowControl }: Definition,
  { projectId, runId, spent }: { projectId: string; runId: string; spent: number },
): Promise<void> {
  if (!flowControl?.tokenThrottle || spent === 0) return;
  await keepPolicies(tx, { workflows: [{ projectId, app, workflow }] });
  await debitTokens(tx, { projectId, app, workflow, runId, spent, now: ctx.clock.sql() });
}

/** Buckets that are not full, and buckets of policies without a key. The emptiest come first. */
const state = policyState({
  field: 'tokenThrottle',
  row: z
    .object({
      ...ofScope,
      available: z.number().describe('Tokens in the bucket.'),
      nextStartAt: z.date().optional().describe('When the bucket allows the next start; null if starts need not wait.'),
    })
    .meta({ title: 'FlowTokenThrottleState' }),
  async read(ctx, { projectId, workflow }) {
    const rows = await listTokenBuckets(ctx.db, { projectId, workflow, limit: maxStateRows, now: ctx.clock.sql() });
    return rows.map((row) => ({
      ...{ app: row.app, workflow: row.workflow, key: keyOfScope(row.key) },
      // Shown as zero when the bucket is overdrawn.
      available: Math.max(0, row.available),
      nextStartAt: row.refilledAt ?? undefined,
    }));
  },
});

/** 2.2 `tokenThrottle`: starts wait until the tokens of former runs are refilled. */
export const tokenThrottle = {
  settings: z.strictObject({ tokens: tokenCount, perMs: durationMs, key }).meta({ title: 'FlowTokenThrottle' }),
  origins: ['start', 'debounced', 'batched', 'call', 'fork'],
  gates: { delay },
  queued: ({ scope }) => ({ tokenScope: scope }),
  pace: ({ tokens, perMs }) => ({ count: tokens, perMs }),
  delays: 'refill',
  state,
} satisfies Policy<'tokenThrottle'>;

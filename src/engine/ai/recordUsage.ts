import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import { debitSpent } from '../flow/policies/token-throttle/index.ts';
import type { Definition } from '../model/index.ts';
import { amendUsage } from './sql/amendUsage.ts';
import { insertUsage } from './sql/insertUsage.ts';
import type { Usage } from './usage.ts';

/** A model call: which attempt of which step made it, and what it spent. */
export interface RecordedCall extends Usage {
  stepIndex: number;
  attempt: number;
  /** The number of the send, for an offloaded call; 0 for a call that a runner reported. */
  send: number;
  /** Whether nobody knows how the send ended, so it may have been billed. */
  unknown: boolean;
}

/** The run that made the calls, and its workflow as registered now. */
export interface Spender {
  projectId: string;
  runId: string;
  app: string;
  workflow: string;
  definition: Definition | undefined;
}

/**
 * Records the spend of model calls, in the transaction that records their steps. Each attempt, or
 * each send of it, counts once, whether it succeeded, will be retried, or ends the run. Caps,
 * budgets and roll-ups read only these rows. New spend is debited from the run's bucket, if the
 * workflow has one (2.2 `tokenThrottle`).
 */
export async function recordUsage(
  { ctx, tx }: { ctx: EngineContext; tx: Transaction },
  { definition, ...spender }: Spender,
  calls: readonly RecordedCall[],
): Promise<void> {
  if (calls.length === 0) return;
  const rows = await insertUsage(tx, { ...spender, calls, now: ctx.clock.sql() });
  await debit({ ctx, tx }, { definition, ...spender }, rows);
}

/**
 * Records what became known of a send whose end was unknown: its tokens, or that it was refused and
 * so not billed.
 */
export async function amendRecorded(
  { ctx, tx }: { ctx: EngineContext; tx: Transaction },
  spender: Spender,
  { isBilled, ...call }: RecordedCall & { isBilled: boolean },
): Promise<void> {
  const rows = await amendUsage(tx, { ...call, runId: spender.runId, isBilled });
  await debit({ ctx, tx }, spender, rows);
}

async function debit(
  { ctx, tx }: { ctx: EngineContext; tx: Transaction },
  { definition, projectId, runId }: Spender,
  rows: readonly { tokens: number }[],
): Promise<void> {
  const spent = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  if (definition && spent > 0) await debitSpent({ ctx, tx }, definition, { projectId, runId, spent });
}

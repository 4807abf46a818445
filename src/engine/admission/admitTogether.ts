import { drawConsequencesSoon, endRunsWithin } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import type { AdmissionTransaction } from '../flow/index.ts';
import type { Intake } from '../ingest/index.ts';
import { type Admission, admitWithin, StaleIntake } from './admitWithin.ts';
import { inWaves } from './waves.ts';

/**
 * The outcome of an intake that has its own transaction. `stale`: nothing was written, because the
 * decision used an old copy of the registry. `failed`: only the reason tells whether anything was
 * written.
 */
export type Settled = Admission | { kind: 'stale' } | { kind: 'failed'; reason: unknown };

/**
 * Takes unrelated intakes through the gates. Each wave is a transaction, which locks keys, rates,
 * buffers and singletons in the order of the gates, sorted within each. So two processes cannot
 * deadlock. Never throws, because a bad intake must not fail the others.
 */
export async function admitTogether(ctx: EngineContext, intakes: readonly Intake[]): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const wave of inWaves(intakes)) {
    const members = wave.flatMap((position) => intakes[position] ?? []);
    const results = await settle(ctx, members);
    results.forEach((result, position) => {
      const index = wave[position];
      if (index !== undefined) settled[index] = result;
    });
  }
  return settled;
}

async function settle(ctx: EngineContext, intakes: readonly Intake[]): Promise<Settled[]> {
  const { settled, error, isUndone } = await commitOnce(ctx, intakes);
  if (settled) return settled;
  if (!isUndone || intakes.length === 1) return intakes.map(() => ({ kind: 'failed', reason: error }));
  const alone: Settled[] = [];
  for (const intake of intakes) alone.push(...(await settle(ctx, [intake])));
  return alone;
}

interface Attempt {
  settled?: Settled[];
  error?: unknown;
  /** Whether the attempt failed before its commit, so nothing was written. */
  isUndone: boolean;
}

async function commitOnce(ctx: EngineContext, intakes: readonly Intake[]): Promise<Attempt> {
  let isUndone = true;
  try {
    const settled = await ctx.db.transaction(async (tx) => {
      isUndone = true;
      const admissions = await admitWithin(admissionTransaction(ctx, tx), intakes);
      isUndone = false;
      return admissions;
    });
    return { settled, isUndone };
  } catch (error) {
    if (!(error instanceof StaleIntake)) return { error, isUndone };
    for (const projectId of error.projectIds) ctx.registry.invalidate(projectId);
    return { settled: intakes.map(() => ({ kind: 'stale' })), isUndone };
  }
}

/** `own` is a run whose queue row the caller has locked in this transaction. */
export const admissionTransaction = (ctx: EngineContext, tx: Transaction, own?: string): AdmissionTransaction => ({
  ctx,
  tx,
  own,
  isOwnDisplaced: false,
  cancelDisplaced: (runIds) => cancelDisplaced(ctx, tx, runIds),
});

async function cancelDisplaced(ctx: EngineContext, tx: Transaction, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  const ends = runIds.map((runId) => ({ runId, error: undefined }));
  const reason = 'a newer run of the same singleton has started';
  const ending = { status: 'cancelled', ends, projectId: null, onlyStranded: false, reason } as const;
  const ended = (await endRunsWithin(ctx, tx, ending)).map((row) => row.runId);
  tx.afterCommit(() => drawConsequencesSoon(ctx, ended));
}

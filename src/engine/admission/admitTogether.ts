import { drawConsequencesSoon, endRunsWithin } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import type { AdmissionTransaction } from '../flow/index.ts';
import type { Intake } from '../ingest/index.ts';
import { type Admission, admitWithin, isHeldUp, StaleIntake } from './admitWithin.ts';
import { inWaves } from './waves.ts';

/**
 * The outcome of an intake that has its own transaction. `stale`: nothing was written, because the
 * decision used an old copy of the registry. `failed`: only the reason tells whether anything was
 * written.
 */
export type Settled = Admission | { kind: 'stale' } | { kind: 'failed'; reason: unknown };

/**
 * Writes something about intakes in the transaction that records them, after them. False: nothing
 * of the transaction is written, and its intakes are `stale`.
 */
export type Beside = (
  tx: Transaction,
  admitted: readonly { index: number; admission: Admission }[],
) => Promise<boolean>;

/**
 * Takes unrelated intakes through the gates. Each wave is a transaction, which locks keys, rates,
 * buffers and singletons in the order of the gates, sorted within each. So two processes cannot
 * deadlock. Never throws, because a bad intake must not fail the others.
 */
export async function admitTogether(
  ctx: EngineContext,
  intakes: readonly Intake[],
  beside?: Beside,
): Promise<Settled[]> {
  const settled: Settled[] = [];
  const members = intakes.map((intake, index): Member => ({ index, intake }));
  for (const wave of wavesOf(intakes)) {
    const own = wave.flatMap((position) => members[position] ?? []);
    const results = await settle(ctx, own, beside);
    results.forEach((result, position) => {
      const index = wave[position];
      if (index !== undefined) settled[index] = result;
    });
  }
  return settled;
}

/** Takes intakes through the gates and records all of them in one transaction, or none. */
export async function admitAsOne(ctx: EngineContext, intakes: readonly Intake[]): Promise<Admission[] | 'stale'> {
  try {
    return await ctx.db.transaction((tx) => admitWithin(admissionTransaction(ctx, tx), intakes));
  } catch (error) {
    if (error instanceof StaleIntake) return 'stale';
    throw error;
  }
}

interface Member {
  /** Its index among all intakes of the call. */
  index: number;
  intake: Intake;
}

/** Without gates, the statement that records all intakes drops the repeats among them. */
const wavesOf = (intakes: readonly Intake[]): number[][] =>
  intakes.some(isHeldUp) ? inWaves(intakes) : [intakes.map((_, position) => position)];

async function settle(ctx: EngineContext, members: readonly Member[], beside: Beside | undefined): Promise<Settled[]> {
  const { settled, error, isUndone } = await commitOnce(ctx, members, beside);
  if (settled) return settled;
  if (!isUndone || members.length === 1) return members.map(() => ({ kind: 'failed', reason: error }));
  const alone: Settled[] = [];
  for (const member of members) alone.push(...(await settle(ctx, [member], beside)));
  return alone;
}

interface Attempt {
  settled?: Settled[];
  error?: unknown;
  /** Whether the attempt failed before its commit, so nothing was written. */
  isUndone: boolean;
}

async function commitOnce(
  ctx: EngineContext,
  members: readonly Member[],
  beside: Beside | undefined,
): Promise<Attempt> {
  const intakes = members.map(({ intake }) => intake);
  let isUndone = true;
  try {
    const settled = await ctx.db.transaction(async (tx) => {
      isUndone = true;
      const admissions = await admitWithin(admissionTransaction(ctx, tx), intakes);
      const admitted = members.flatMap(({ index }, position) => {
        const admission = admissions[position];
        return admission ? [{ index, admission }] : [];
      });
      if (beside && !(await beside(tx, admitted))) throw new StaleIntake([]);
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

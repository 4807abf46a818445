import type { EngineContext } from '../context.ts';
import type { Intake } from '../ingest/index.ts';
import { type Admission, admitWithin, StaleIntake } from './admitWithin.ts';
import type { Scene } from './candidate.ts';
import { inWaves } from './waves.ts';

/**
 * What became of an intake that is not part of a transaction of the caller's. `stale`: nothing was
 * written, for it was decided on an old copy of the registry. `failed`: whether anything was
 * written can be told by the reason only.
 */
export type Settled = Admission | { kind: 'stale' } | { kind: 'failed'; reason: unknown };

/**
 * Takes intakes through the gates that have nothing to do with each other, but for the moment at
 * which they came. Each wave is a transaction of its own: within one, keys, rates, buffers and
 * places are locked in the order of the gates, and sorted in each, so that two processes never wait
 * for each other. Never throws: one bad intake must not fail its neighbours.
 */
export async function admitTogether(ctx: EngineContext, intakes: readonly Intake[]): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const wave of inWaves(intakes)) {
    const members = wave.flatMap((position) => intakes[position] ?? []);
    const results = await settle(ctx, members);
    results.forEach((result, position) => {
      const place = wave[position];
      if (place !== undefined) settled[place] = result;
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
  /** Nothing was written for certain: what failed came before the commit. */
  isUndone: boolean;
}

async function commitOnce(ctx: EngineContext, intakes: readonly Intake[]): Promise<Attempt> {
  let isUndone = true;
  try {
    const settled = await ctx.db.transaction(async (tx) => {
      isUndone = true;
      const admissions = await admitWithin(sceneOf(ctx, tx), intakes);
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

/** A scene for a transaction; `own` is a run whose queue row the caller has locked in it. */
export const sceneOf = (ctx: EngineContext, tx: Scene['tx'], own?: string | undefined): Scene => ({
  ctx,
  tx,
  own,
  isOwnDisplaced: false,
});

import type { EngineContext } from '../context.ts';
import { afterEndedLeases } from './afterRelease.ts';
import { held, inTurn, knowsOf, letGo, suspectLeases, takeSuspicion } from './held.ts';
import { releaseLeases } from './sql/releaseLeases.ts';
import { strayLeases } from './sql/strayLeases.ts';

/** Leases that one sweep releases. */
const sweepLimit = 1_000;

/**
 * Releases runs that this dispatcher leased and will not execute. Any dispatcher can claim them at
 * once. During an outage of the database a later sweep does it.
 */
export async function releaseRuns(ctx: EngineContext, dispatcherId: string, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  const params = { dispatcherId, runIds, claimNos: null, now: ctx.clock.sql() };
  try {
    afterEndedLeases(ctx, await letGo(ctx, runIds, () => releaseLeases(ctx.db, params)));
  } catch (error) {
    suspectLeases(ctx);
    ctx.log.warn({ error, runs: runIds.length }, 'releasing runs failed: retrying once the database answers');
  }
}

/**
 * Releases leases that this dispatcher does not know, if there may be any: after a claim whose
 * answer was lost, or a failed release. A lease is noted before it exists, or excludes this sweep.
 * So a lease that was found and is still unknown afterwards is a stray. If it ended meanwhile, its
 * claim number has changed.
 */
export async function releaseSuspects(ctx: EngineContext, dispatcherId: string): Promise<void> {
  if (!takeSuspicion(ctx)) return;
  await inTurn(ctx, async () => {
    try {
      await sweep(ctx, dispatcherId);
    } catch (error) {
      suspectLeases(ctx);
      throw error;
    }
  });
}

async function sweep(ctx: EngineContext, dispatcherId: string): Promise<void> {
  const found = await strayLeases(ctx.db, { dispatcherId, known: [...held(ctx)], limit: sweepLimit });
  if (found.length === sweepLimit) suspectLeases(ctx);
  const strays = found.filter((each) => !knowsOf(ctx, each.runId));
  if (strays.length === 0) return;
  const runIds = strays.map((each) => each.runId);
  const claimNos = strays.map((each) => each.claimNo);
  afterEndedLeases(ctx, await releaseLeases(ctx.db, { dispatcherId, runIds, claimNos, now: ctx.clock.sql() }));
}

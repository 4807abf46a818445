import type { EngineContext } from '../context.ts';
import { afterGivingUp } from './afterRelease.ts';
import { held, inTurn, suspectLeases, takeSuspicion } from './held.ts';
import { releaseLeases } from './sql/releaseLeases.ts';

/**
 * Hands runs back that this dispatcher leased and will not execute. They become claimable at once, by anyone. When the
 * database is away the next heartbeat does it.
 */
export async function releaseRuns(ctx: EngineContext, dispatcherId: string, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  for (const runId of runIds) held(ctx).delete(runId);
  try {
    afterGivingUp(ctx, await releaseLeases(ctx.db, { dispatcherId, runIds, except: false, now: ctx.clock.sql() }));
  } catch (error) {
    suspectLeases(ctx);
    ctx.log.warn({ error, runs: runIds.length }, 'runs are handed back once the database answers');
  }
}

/**
 * Hands back what is leased to this dispatcher without its knowing, if there may be such: claims whose answer was lost, runs
 * that could not be handed back.
 */
export async function releaseSuspects(ctx: EngineContext, dispatcherId: string): Promise<void> {
  if (!takeSuspicion(ctx)) return;
  await inTurn(ctx, async () => {
    try {
      const params = { dispatcherId, runIds: [...held(ctx)], except: true, now: ctx.clock.sql() };
      afterGivingUp(ctx, await releaseLeases(ctx.db, params));
    } catch (error) {
      suspectLeases(ctx);
      throw error;
    }
  });
}

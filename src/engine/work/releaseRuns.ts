import type { EngineContext } from '../context.ts';
import { held } from './held.ts';
import { releaseLeases } from './sql/releaseLeases.ts';

/** Hands runs back that this dispatcher leased and will not execute. They become claimable at once, by anyone. */
export async function releaseRuns(ctx: EngineContext, dispatcherId: string, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  for (const runId of runIds) held(ctx).delete(runId);
  announce(ctx, await releaseLeases(ctx.db, { dispatcherId, runIds, except: false }));
}

/** Hands back what is leased to this dispatcher without its knowing: claims whose answer was lost. Best effort. */
export async function releaseUnknown(ctx: EngineContext, dispatcherId: string): Promise<void> {
  try {
    announce(ctx, await releaseLeases(ctx.db, { dispatcherId, runIds: [...held(ctx)], except: true }));
  } catch (error) {
    ctx.log.warn({ error }, 'could not hand back runs after a failed claim');
  }
}

function announce(ctx: EngineContext, rows: readonly { lane_id: number }[]): void {
  if (rows.length > 0) ctx.bus.emit('work.ready', { laneIds: [...new Set(rows.map((row) => row.lane_id))] });
}

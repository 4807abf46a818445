import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { readChanges as selectChanges } from './sql/readChanges.ts';

/** Changes outside a dispatcher's process since its last poll. */
export interface PolledChanges {
  /** Grows with every change of a definition, runner or project. */
  registryEpoch: number;
  /** The id of the newest lane. */
  newestLane: number;
  /** The given lanes that have a run to claim. */
  readyLanes: number[];
  /** The given runs that have ended, or are leased to another dispatcher. */
  lostRuns: string[];
}

/** The registry epoch of each process at its last poll. */
const seen = perEngine((): { epoch?: number } => ({}));

/**
 * Polls for changes in one read. Hints usually come first, so polling only bounds the delay. A
 * changed definition may decide whether a lane's executing runs are counted.
 */
export async function pollChanges(
  ctx: EngineContext,
  question: { dispatcherId: string; laneIds: readonly number[]; runIds: readonly string[] },
): Promise<PolledChanges> {
  const [row] = await selectChanges(ctx.db, question);
  if (!row) throw new Error('the poll for changes returned no row');
  if (seen(ctx).epoch !== row.registryEpoch) {
    seen(ctx).epoch = row.registryEpoch;
    for (const { projectId } of (await ctx.lanes.describe(question.laneIds)).values())
      ctx.registry.invalidate(projectId);
  }
  return {
    registryEpoch: row.registryEpoch,
    newestLane: row.newestLane,
    readyLanes: row.readyLanes,
    lostRuns: row.lostRuns,
  };
}

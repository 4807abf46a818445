import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { readNews as selectNews } from './sql/readNews.ts';

/** What changed outside a dispatcher's own process since it last asked. */
export interface News {
  /** Grows with every change of a definition, runner or project. */
  registryEpoch: number;
  /** Grows with every lane made. */
  newestLane: number;
  /** Of the lanes asked about, those that hold a run to claim. */
  readyLanes: number[];
  /** Of the runs asked about, those that are over, or leased to another. */
  lostRuns: string[];
}

/** What each process knew of definitions when it last asked. */
const seen = perEngine((): { epoch?: number } => ({}));

/**
 * Looks for news: one read. Nothing depends on it but how soon a dispatcher notices: also that
 * definitions changed, by which it tells lanes whose executing runs are counted from others.
 */
export async function readNews(
  ctx: EngineContext,
  question: { dispatcherId: string; laneIds: readonly number[]; runIds: readonly string[] },
): Promise<News> {
  const [row] = await selectNews(ctx.db, question);
  if (!row) throw new Error('no news');
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

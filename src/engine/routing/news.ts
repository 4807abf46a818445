import type { EngineContext } from '../context.ts';
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

/** Looks for news: one read. Nothing depends on it but how soon a dispatcher notices. */
export async function readNews(
  ctx: EngineContext,
  question: { dispatcherId: string; laneIds: readonly number[]; runIds: readonly string[] },
): Promise<News> {
  const [row] = await selectNews(ctx.db, question);
  if (!row) throw new Error('no news');
  return {
    registryEpoch: row.registry_epoch,
    newestLane: row.newest_lane,
    readyLanes: row.ready_lanes,
    lostRuns: row.lost_runs,
  };
}

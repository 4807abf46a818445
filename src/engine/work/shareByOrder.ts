import type { EngineContext } from '../context.ts';
import type { Demand } from './sql/claimWork.ts';
import { peekLanes } from './sql/peekLanes.ts';

/** Lanes that stand in one queue: the same runners take them, and share their room. */
export interface Pool {
  laneIds: readonly number[];
  /** Runs that are wanted of all these lanes together. Positive. */
  limit: number;
}

/** How the room of pools is divided. */
export interface Shares {
  demands: readonly Demand[];
  /** Lanes that hold more ready runs than there is room for. */
  more: readonly number[];
}

/**
 * Runs looked at for one pool. Where there are more lanes than this has for the room of each, who
 * stands far down a lane is served with a later claim than its place says: twenty lanes and room
 * for 256 runs at once.
 */
const maxPeeked = 5_000;
const minDepth = 10;

/**
 * Divides room among lanes of one queue: whoever came first, or counts as such (2.2 `priority`), is
 * served first. What others take between this look and the claim is theirs; what comes meanwhile is
 * told by a hint.
 */
export async function shareByOrder(ctx: EngineContext, pools: readonly Pool[]): Promise<Shares> {
  const lanes = pools.flatMap(({ laneIds, limit }, pool) => {
    const depth = Math.min(limit, Math.max(minDepth, Math.ceil(maxPeeked / laneIds.length)));
    return laneIds.map((laneId) => ({ pool, laneId, limit, depth }));
  });
  const rows = await peekLanes(ctx.db, { lanes });
  return {
    demands: rows.filter(({ share }) => share > 0).map(({ laneId, share }) => ({ laneId, limit: share })),
    more: rows.filter(({ ready, share }) => ready > share).map((row) => row.laneId),
  };
}

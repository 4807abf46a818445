import type { EngineContext } from '../../context.ts';
import { firstLane } from './claimDeliveries.ts';
import { deleteIdleLanes } from './sql/deleteIdleLanes.ts';
import { lockIdleLanes } from './sql/lockIdleLanes.ts';

const pageSize = 500;
const idleMs = 86_400_000;

interface ForgottenLanes {
  forgotten: number;
  /** Whether the next page is due at once: this one had idle lanes, and is not the last. */
  full: boolean;
  /** The `after` of the next page. */
  next: string;
}

/**
 * Examines the page of lanes after one, and deletes those of custom origins and of deleted
 * endpoints that are idle for a day. A claim makes them again.
 *
 * The first statement locks the lanes, as a claim does, and the second one sees all work that was
 * committed before. Work that comes later finds no lane, or waits for this commit and inserts one.
 */
export async function forgetLanes(
  ctx: EngineContext,
  { after, limit = pageSize }: { after: string; limit?: number },
): Promise<ForgottenLanes> {
  const { forgotten, nextAfter } = await ctx.db.transaction(async (tx) => {
    const [page] = await lockIdleLanes(tx, { after, limit, idleMs, now: ctx.clock.sql() });
    const { laneIds = [], nextAfter = null } = page ?? {};
    if (laneIds.length === 0) return { forgotten: 0, nextAfter };
    return { forgotten: (await deleteIdleLanes(tx, { laneIds })).length, nextAfter };
  });
  return { forgotten, full: forgotten > 0 && nextAfter !== null, next: nextAfter ?? firstLane };
}

import type { EngineContext } from '../context.ts';
import type { Demand } from './sql/claimWork.ts';
import { type PeekedLane, peekLanes } from './sql/peekLanes.ts';

/** Lanes that form one queue, because the same runners serve them. */
export interface LaneGroup {
  laneIds: readonly number[];
  /** The number of runs to claim from all these lanes together. Positive. */
  limit: number;
}

/** How the limits of lane groups are divided among their lanes. */
export interface Shares {
  demands: readonly Demand[];
  /** Lanes whose ready runs all come after those of other lanes. */
  passedOver: readonly number[];
}

/**
 * How many runs of one lane group are examined. In a group with more lanes than this allows for, a
 * run far down its lane is claimed later than its queue position says. For 256 runs at once, that
 * begins at twenty lanes.
 */
const maxPeeked = 5_000;
const minDepth = 10;

/**
 * Divides the limit of each lane group by queue position (2.2 `priority`). A statement of its own:
 * docs/decisions/003-share-inside-the-claim.md. Another dispatcher may claim some of these runs
 * before this one does. Runs that become ready in between are announced by a hint.
 */
export async function shareByOrder(ctx: EngineContext, groups: readonly LaneGroup[]): Promise<Shares> {
  const shares = { demands: [] as Demand[], passedOver: [] as number[] };
  const lanes: PeekedLane[] = [];
  for (const [group, { laneIds, limit }] of groups.entries()) {
    const depth = Math.min(limit, Math.max(minDepth, Math.ceil(maxPeeked / laneIds.length)));
    // The only lane of a group gets its whole limit.
    if (laneIds.length === 1) shares.demands.push(...laneIds.map((laneId) => ({ laneId, limit })));
    else lanes.push(...laneIds.map((laneId) => ({ group, laneId, limit, depth })));
  }
  if (lanes.length === 0) return shares;
  for (const { laneId, share } of await peekLanes(ctx.db, { lanes })) {
    if (share > 0) shares.demands.push({ laneId, limit: share });
    else shares.passedOver.push(laneId);
  }
  return shares;
}

/**
 * The lanes that may hold more ready runs after this claim. A lane that yielded fewer than its
 * share has none left that can be claimed. Others have locked or gated its runs, and will announce
 * them.
 */
export function lanesWithMore({ demands, passedOver }: Shares, claimed: readonly { laneId: number }[]): number[] {
  const counts = new Map<number, number>();
  for (const { laneId } of claimed) counts.set(laneId, (counts.get(laneId) ?? 0) + 1);
  const full = demands.filter(({ laneId, limit }) => (counts.get(laneId) ?? 0) >= limit);
  return [...full.map(({ laneId }) => laneId), ...passedOver];
}

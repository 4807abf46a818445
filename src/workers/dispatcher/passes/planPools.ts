import type { Routes } from '../routing/routes.ts';
import { claimRoom, type RunnerLink } from '../routing/runnerLink.ts';
import type { Pool } from '../work.ts';

export interface PlanOptions {
  routes: Routes;
  /** Lanes that may hold work, in the order in which they are served. */
  laneIds: readonly number[];
  /** By lane, passes in memory that wait for a runner already. */
  waiting: Iterable<readonly [laneId: number, passes: number]>;
  /** How long a commit takes, smoothed, in ms. */
  settleMs: number;
  /** Runs in all. */
  limit: number;
}

/** Lanes of one claim: beyond it the statement grows for little. */
const maxLanes = 500;

/**
 * How much to claim, so that no more is claimed than the runners here have room for. Lanes with the same runners share one
 * queue. Pools share the room of the runners that they share: each gets an even part of what is left when its turn comes, and at
 * least one.
 */
export function planPools(options: PlanOptions): Pool[] {
  const { routes, limit, settleMs } = options;
  const rooms: Rooms = new Map();
  const waiting = waitingByPool(options);
  const groups = lanesByPool(options);
  const pools: Pool[] = [];
  let [left, lanesLeft] = [limit, maxLanes];
  for (const [position, [pool, laneIds]] of [...groups].entries()) {
    if (left === 0 || lanesLeft === 0) break;
    const links = routes.get(laneIds[0] ?? 0)?.links ?? [];
    const ahead = waiting.get(pool) ?? 0;
    const free = roomFor(links, { rooms, settleMs, enough: left + ahead }) - ahead;
    if (free <= 0) continue;
    const share = Math.ceil(Math.min(free, left) / (groups.size - position));
    promise(links, rooms, share);
    pools.push({ laneIds: laneIds.slice(0, lanesLeft), limit: share });
    left -= share;
    lanesLeft -= Math.min(lanesLeft, laneIds.length);
  }
  return pools;
}

/** In the order in which they are served. */
function lanesByPool({ routes, laneIds }: PlanOptions): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const laneId of laneIds) {
    const pool = routes.get(laneId)?.pool;
    if (pool === undefined) continue;
    const group = groups.get(pool);
    if (group) group.push(laneId);
    else groups.set(pool, [laneId]);
  }
  return groups;
}

/** Whatever lanes they are of: they come first. */
function waitingByPool({ routes, waiting }: PlanOptions): Map<number, number> {
  const byPool = new Map<number, number>();
  for (const [laneId, passes] of waiting) {
    const pool = routes.get(laneId)?.pool;
    if (pool !== undefined) byPool.set(pool, (byPool.get(pool) ?? 0) + passes);
  }
  return byPool;
}

/** What is left of the room of each runner that was looked at. */
type Rooms = Map<RunnerLink, number>;

/** Room left, counted up to `enough`: thousands of runners need not all be asked. */
function roomFor(
  links: readonly RunnerLink[],
  { rooms, settleMs, enough }: { rooms: Rooms; settleMs: number; enough: number },
): number {
  let sum = 0;
  for (const link of links) {
    const room = rooms.get(link) ?? claimRoom(link, settleMs);
    rooms.set(link, room);
    sum += room;
    if (sum >= enough) break;
  }
  return sum;
}

function promise(links: readonly RunnerLink[], rooms: Rooms, runs: number): void {
  let left = runs;
  for (const link of links) {
    if (left === 0) return;
    const room = rooms.get(link) ?? 0;
    const taken = Math.min(left, room);
    rooms.set(link, room - taken);
    left -= taken;
  }
}

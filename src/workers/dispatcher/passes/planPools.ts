import type { Routes } from '../routing/routes.ts';
import { claimRoom, type RunnerLink } from '../routing/runnerLink.ts';
import type { Pool } from '../work.ts';

export interface PlanOptions {
  routes: Routes;
  /** Lanes that may hold work, in the order in which they are served. */
  laneIds: readonly number[];
  /** Passes in memory that wait for a runner of the lane already. */
  waitingFor: (laneId: number) => number;
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
  const { routes, limit, settleMs, waitingFor } = options;
  const rooms: Rooms = new Map();
  const groups = lanesByPool(options);
  const pools: Pool[] = [];
  let left = limit;
  for (const [position, laneIds] of groups.entries()) {
    if (left === 0) break;
    const links = routes.get(laneIds[0] ?? 0)?.links ?? [];
    const waiting = laneIds.reduce((sum, laneId) => sum + waitingFor(laneId), 0);
    const free = roomFor(links, { rooms, settleMs, enough: left }) - waiting;
    if (free <= 0) continue;
    const share = Math.ceil(Math.min(free, left) / (groups.length - position));
    promise(links, rooms, share);
    pools.push({ laneIds, limit: share });
    left -= share;
  }
  return pools;
}

/** In the order in which they are served; as many as one claim takes. */
function lanesByPool({ routes, laneIds }: PlanOptions): number[][] {
  const groups = new Map<number | undefined, number[]>();
  for (const laneId of laneIds.slice(0, maxLanes)) {
    const pool = routes.get(laneId)?.pool;
    groups.set(pool, [...(groups.get(pool) ?? []), laneId]);
  }
  return [...groups.values()];
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

import type { Pool } from '../../../engine/work/index.ts';
import type { Routes } from '../routing/routes.ts';
import { claimRoom, freeSlots, type Pace, type RunnerLink } from '../routing/runnerLink.ts';

export interface PlanOptions extends Pace {
  routes: Routes;
  /** Lanes that may hold work, in the order in which they are served. */
  laneIds: readonly number[];
  /** By lane, passes in memory that wait for a runner already. */
  waiting: Iterable<readonly [laneId: number, passes: number]>;
  /** Passes that may still wait. */
  waitingRoom: number;
  /** Runs in all. */
  limit: number;
}

/** Lanes of one claim: beyond it the statement grows for little. */
const maxLanes = 500;

/**
 * How much to claim, so that no more is claimed than the runners here have room for. Lanes with the
 * same runners share one queue. Pools share the room of the runners that they share: each gets an
 * even part of what is left when its turn comes, and at least one.
 *
 * What finds no free slot will wait here, and the room for that is everybody's: a pool may have as
 * many waiting as it leaves room for others. What has a free slot needs none of it.
 */
export function planPools(options: PlanOptions): Pool[] {
  const { routes, limit } = options;
  const rooms: Rooms = new Map();
  const waiting = waitingByPool(options);
  const groups = lanesByPool(options);
  const pools: Pool[] = [];
  let [left, lanesLeft, waitingRoom] = [limit, maxLanes, options.waitingRoom];
  for (const [position, [pool, laneIds]] of [...groups].entries()) {
    if (left === 0 || lanesLeft === 0) break;
    const links = routes.get(laneIds[0] ?? 0)?.links ?? [];
    const ahead = waiting.get(pool) ?? 0;
    const { slots, surplus } = roomFor(links, { rooms, pace: options, enough: left + ahead });
    const atOnce = Math.max(0, slots - ahead);
    const mayWait = Math.max(0, Math.floor((waitingRoom - ahead) / 2));
    const free = atOnce + Math.min(mayWait, Math.max(0, slots + surplus - ahead - atOnce));
    if (free <= 0) continue;
    const share = Math.ceil(Math.min(free, left) / (groups.size - position));
    promise(links, rooms, share);
    // An even part of the lanes, too: those that are left out come first the next time, and so
    // would their whole pool.
    const lanes = laneIds.slice(0, Math.ceil(lanesLeft / (groups.size - position)));
    pools.push({ laneIds: lanes, limit: share });
    left -= share;
    waitingRoom -= Math.max(0, share - atOnce);
    lanesLeft -= lanes.length;
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

/** Room of a runner: slots that are free now, and what may be claimed beyond them. */
interface Room {
  slots: number;
  surplus: number;
}

/** What is left of the room of each runner that was looked at. */
type Rooms = Map<RunnerLink, Room>;

function roomOf(link: RunnerLink, pace: Pace): Room {
  const room = claimRoom(link, pace);
  const slots = Math.min(room, freeSlots(link));
  return { slots, surplus: room - slots };
}

/** Room left, with slots counted up to `enough`: thousands of runners need not all be asked. */
function roomFor(
  links: readonly RunnerLink[],
  { rooms, pace, enough }: { rooms: Rooms; pace: Pace; enough: number },
): Room {
  const sum = { slots: 0, surplus: 0 };
  for (const link of links) {
    const room = rooms.get(link) ?? roomOf(link, pace);
    rooms.set(link, room);
    sum.slots += room.slots;
    sum.surplus += room.surplus;
    if (sum.slots >= enough) break;
  }
  return sum;
}

/** Free slots first. */
function promise(links: readonly RunnerLink[], rooms: Rooms, runs: number): void {
  let left = runs;
  for (const kind of ['slots', 'surplus'] as const) {
    for (const link of links) {
      if (left === 0) return;
      const room = rooms.get(link);
      const taken = Math.min(left, room?.[kind] ?? 0);
      if (room) room[kind] -= taken;
      left -= taken;
    }
  }
}

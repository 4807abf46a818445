import type { Routes } from '../routing/routes.ts';
import { claimRoom, type RunnerLink } from '../routing/runnerLink.ts';
import type { Demand } from '../work.ts';

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
 * How much to claim of each lane, so that no more is claimed than the runners here have room for. Lanes share the room of
 * the runners that they share: each gets an even part of what is left when its turn comes, and at least one.
 */
export function planDemands({ routes, laneIds, limit, settleMs, waitingFor }: PlanOptions): Demand[] {
  const rooms: Rooms = new Map();
  const demands: Demand[] = [];
  let left = limit;
  for (const [position, laneId] of laneIds.entries()) {
    if (left === 0 || demands.length === maxLanes) break;
    const links = routes.get(laneId)?.links ?? [];
    const free = roomFor(links, { rooms, settleMs, enough: left }) - waitingFor(laneId);
    if (free <= 0) continue;
    const share = Math.ceil(Math.min(free, left) / (laneIds.length - position));
    promise(links, rooms, share);
    demands.push({ laneId, limit: share });
    left -= share;
  }
  return demands;
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

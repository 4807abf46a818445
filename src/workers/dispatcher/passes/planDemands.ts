import type { Routes } from '../routing/routes.ts';
import { freeSlots, type RunnerLink } from '../routing/runnerLink.ts';
import type { Demand } from '../work.ts';

export interface PlanOptions {
  routes: Routes;
  /** Lanes that may hold work, in the order in which they are served. */
  laneIds: readonly number[];
  /** Passes in memory that wait for a runner of the lane already. */
  waitingFor: (laneId: number) => number;
  /** Runs in all. */
  limit: number;
}

/** Lanes of one claim: beyond it the statement grows for little. */
const maxLanes = 500;

/**
 * How much to claim of each lane, so that no more is claimed than the runners here have slots for. Lanes share the slots
 * of the runners that they share: each gets an even part of what is left when its turn comes, and at least one slot.
 */
export function planDemands({ routes, laneIds, waitingFor, limit }: PlanOptions): Demand[] {
  const promised = new Map<RunnerLink, number>();
  const demands: Demand[] = [];
  let left = limit;
  for (const [position, laneId] of laneIds.entries()) {
    if (left === 0 || demands.length === maxLanes) break;
    const links = routes.get(laneId)?.links ?? [];
    const free = freeFor(links, promised, left) - waitingFor(laneId);
    if (free <= 0) continue;
    const share = Math.ceil(Math.min(free, left) / (laneIds.length - position));
    promise(links, promised, share);
    demands.push({ laneId, limit: share });
    left -= share;
  }
  return demands;
}

/** Slots left, counted up to `enough`: thousands of runners need not all be asked. */
function freeFor(links: readonly RunnerLink[], promised: ReadonlyMap<RunnerLink, number>, enough: number): number {
  let free = 0;
  for (const link of links) {
    free += Math.max(0, freeSlots(link) - (promised.get(link) ?? 0));
    if (free >= enough) break;
  }
  return free;
}

function promise(links: readonly RunnerLink[], promised: Map<RunnerLink, number>, slots: number): void {
  let left = slots;
  for (const link of links) {
    if (left === 0) return;
    const already = promised.get(link) ?? 0;
    const taken = Math.min(left, Math.max(0, freeSlots(link) - already));
    if (taken > 0) promised.set(link, already + taken);
    left -= taken;
  }
}

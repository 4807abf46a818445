import type { LaneGroup } from '../../../engine/work/index.ts';
import type { Routes } from '../routing/routes.ts';
import { type CommitPace, claimRoom, freeSlots, type RunnerLink } from '../routing/runnerLink.ts';

export interface PlanOptions extends CommitPace {
  routes: Routes;
  /** Lanes that may hold work, in the order in which they are served. */
  laneIds: readonly number[];
  /** By lane: the passes in memory that already wait for a runner. */
  waiting: Iterable<readonly [laneId: number, passes: number]>;
  /** How many more passes may wait. */
  waitingRoom: number;
  /** The number of runs to claim in total. */
  limit: number;
}

/** Lanes of one claim. More would make the statement larger for little gain. */
const maxLanes = 500;

/**
 * Decides how many runs to claim for each lane group, so that a claim takes no more than the
 * runners here can accept (C3). Lane groups that share runners share their slots: each gets an even
 * part of the remaining slots, and at least one run.
 *
 * A claimed run without a free slot waits in memory. All lane groups share that bounded queue, so
 * each may fill half of its rest. A run with a free slot does not enter it.
 */
export function planClaim(options: PlanOptions): LaneGroup[] {
  const { routes, limit } = options;
  const rooms: Rooms = new Map();
  const waiting = waitingByGroup(options);
  const lanes = lanesByGroup(options);
  const groups: LaneGroup[] = [];
  let [left, lanesLeft, waitingRoom] = [limit, maxLanes, options.waitingRoom];
  for (const [position, [group, laneIds]] of [...lanes].entries()) {
    if (left === 0 || lanesLeft === 0) break;
    const links = routes.get(laneIds[0] ?? 0)?.links ?? [];
    const ahead = waiting.get(group) ?? 0;
    const { slots, surplus } = roomFor(links, { rooms, pace: options, enough: left + ahead });
    const atOnce = Math.max(0, slots - ahead);
    const mayWait = Math.max(0, Math.floor((waitingRoom - ahead) / 2));
    const free = atOnce + Math.min(mayWait, Math.max(0, slots + surplus - ahead - atOnce));
    if (free <= 0) continue;
    const share = Math.ceil(Math.min(free, left) / (lanes.size - position));
    reserve(links, rooms, share);
    // Lanes are divided evenly, too. The lanes that are left out come first the next time, and
    // would otherwise exclude their whole lane group.
    const served = laneIds.slice(0, Math.ceil(lanesLeft / (lanes.size - position)));
    groups.push({ laneIds: served, limit: share });
    left -= share;
    waitingRoom -= Math.max(0, share - atOnce);
    lanesLeft -= served.length;
  }
  return groups;
}

/** In the order in which the lanes are served. */
function lanesByGroup({ routes, laneIds }: PlanOptions): Map<number, number[]> {
  const lanes = new Map<number, number[]>();
  for (const laneId of laneIds) {
    const group = routes.get(laneId)?.laneGroup;
    if (group === undefined) continue;
    const known = lanes.get(group);
    if (known) known.push(laneId);
    else lanes.set(group, [laneId]);
  }
  return lanes;
}

/** Passes that wait in any lane of the group count, because they come before runs to be claimed. */
function waitingByGroup({ routes, waiting }: PlanOptions): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [laneId, passes] of waiting) {
    const group = routes.get(laneId)?.laneGroup;
    if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + passes);
  }
  return counts;
}

/** Room of a runner: its free slots, and how many runs may be claimed beyond them. */
interface Room {
  slots: number;
  surplus: number;
}

/** The remaining room of each runner that was examined. */
type Rooms = Map<RunnerLink, Room>;

function roomOf(link: RunnerLink, pace: CommitPace): Room {
  const room = claimRoom(link, pace);
  const slots = Math.min(room, freeSlots(link));
  return { slots, surplus: room - slots };
}

/** Remaining room. Stops at `enough` slots, so that thousands of runners are not all examined. */
function roomFor(
  links: readonly RunnerLink[],
  { rooms, pace, enough }: { rooms: Rooms; pace: CommitPace; enough: number },
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

/** Reserves slots of these runners for runs that are about to be claimed, free slots first. */
function reserve(links: readonly RunnerLink[], rooms: Rooms, runs: number): void {
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

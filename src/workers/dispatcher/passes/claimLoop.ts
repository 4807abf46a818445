/**
 * Claims runs for the runners of this process.
 *
 * Owns: which lanes may hold work, and when to claim from them. Does not own: passes once claimed
 * (Passes).
 *
 * Invariants:
 * C1. One claim at a time. Requests that arrive meanwhile go into the next claim.
 * C2. A hint makes a lane hot. The lane stays hot while it may hold more ready runs, or while its
 *     runners are full. Polling covers lost hints.
 * C3. A claim takes no more runs than the runners here can accept.
 * C4. A lane group is one queue: the run with the first queue position is claimed first.
 */
import type { Logger } from 'pino';
import type { Claimed, ClaimedPass } from '../../../engine/passes/index.ts';
import type { LaneGroup } from '../../../engine/work/index.ts';
import { Loop } from '../../loop.ts';
import type { Routes } from '../routing/routes.ts';
import { planClaim } from './planClaim.ts';

export interface ClaimOutlook {
  /** How long a commit takes, smoothed, in ms. */
  settleMs: number;
  /** How many more passes may wait here. */
  waitingRoom: number;
}

export interface ClaimLoopOptions {
  routes: Routes;
  claim: (groups: readonly LaneGroup[]) => Promise<Claimed<ClaimedPass>>;
  take: (pass: ClaimedPass) => void;
  outlook: () => ClaimOutlook;
  /** By lane: the passes that already wait for a runner. */
  waiting: () => Iterable<readonly [laneId: number, passes: number]>;
  claimLimit: number;
  log: Logger;
}

export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  /** Lanes that may hold work, in order: a lane that was served goes to the end. */
  readonly #hot = new Set<number>();
  /** Lanes in which the last claim left ready runs. */
  readonly #left = new Set<number>();
  /** Lanes of the claim in progress. */
  #claiming: readonly number[] = [];
  readonly #loop: Loop;
  #claims = 0;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
    // C1. Hints of one turn of the event loop go into one claim.
    this.#loop = new Loop({ name: 'claim', turn: () => this.#claim(), log: options.log });
  }

  /** The number of claims so far. */
  get claims(): number {
    return this.#claims;
  }

  start(): void {
    this.#loop.start();
    this.capacityFreed();
  }

  /** Starts no more claims. Resolves when the claim in progress has ended. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Whether a lane of this lane's group may hold runs that are not claimed yet. */
  mayHoldWork(laneId: number): boolean {
    if (this.#hot.has(laneId) || this.#claiming.includes(laneId)) return true;
    return this.#isGroupOf(laneId, this.#claiming) || this.#isGroupOf(laneId, this.#hot);
  }

  /** Whether the last claim left ready runs in a lane of this lane's group. */
  leftWork(laneId: number): boolean {
    return this.#left.size > 0 && this.#isGroupOf(laneId, this.#left);
  }

  #isGroupOf(laneId: number, lanes: Iterable<number>): boolean {
    const { routes } = this.#options;
    const group = routes.get(laneId)?.laneGroup;
    for (const other of lanes) if (routes.get(other)?.laneGroup === group) return true;
    return false;
  }

  /** These lanes may hold work (C2). */
  look(laneIds: Iterable<number>): void {
    for (const laneId of laneIds) this.#hot.add(laneId);
    this.capacityFreed();
  }

  /** A runner has a free slot. */
  capacityFreed(): void {
    if (this.#hot.size > 0) this.#loop.nudge();
  }

  /** Claims once, for all hot lanes whose runners can accept runs. */
  async #claim(): Promise<void> {
    const groups = this.#plan();
    if (groups.length === 0) return;
    this.#claiming = groups.flatMap(({ laneIds }) => laneIds);
    for (const laneId of this.#claiming) this.#hot.delete(laneId);
    try {
      this.#claims += 1;
      const { passes, lanesWithMore } = await this.#options.claim(groups);
      for (const laneId of this.#claiming) this.#left.delete(laneId);
      for (const laneId of lanesWithMore) {
        this.#hot.add(laneId);
        this.#left.add(laneId);
      }
      for (const pass of passes) this.#options.take(pass);
      this.capacityFreed();
    } catch (error) {
      for (const laneId of this.#claiming) this.#hot.add(laneId);
      throw error;
    } finally {
      this.#claiming = [];
    }
  }

  #plan(): LaneGroup[] {
    const { claimLimit, outlook, routes, waiting } = this.#options;
    const pace = { ...outlook(), nowMs: performance.now() };
    for (const lanes of [this.#hot, this.#left]) {
      for (const laneId of lanes) if (!routes.get(laneId)) lanes.delete(laneId);
    }
    return planClaim({ routes, waiting: waiting(), limit: claimLimit, ...pace, laneIds: [...this.#hot] });
  }
}

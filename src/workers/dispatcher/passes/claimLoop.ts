/**
 * Claims runs for the runners of this process.
 *
 * Owns: which lanes may hold work, and when to look. Does not own: passes once claimed (Passes).
 *
 * Invariants C1. One claim at a time: what is asked for meanwhile goes into the next. C2. A lane is
 * looked at as long as its last claim was full, or it had no room in it, and after each hint;
 * polling covers lost hints. C3. Nothing is claimed beyond what the runners here have room for. C4.
 * Lanes with the same runners are one queue: who comes first in it is claimed first.
 */
import type { Logger } from 'pino';
import type { ClaimedPass } from '../../../engine/passes/index.ts';
import type { Demand, Pool, Shares } from '../../../engine/work/index.ts';
import { Loop } from '../../loop.ts';
import type { Routes } from '../routing/routes.ts';
import { planPools } from './planPools.ts';

export interface ClaimOutlook {
  /** How long a commit takes, smoothed, in ms. */
  settleMs: number;
  /** Passes that may still wait here. */
  waitingRoom: number;
}

export interface ClaimLoopOptions {
  routes: Routes;
  share: (pools: readonly Pool[]) => Promise<Shares>;
  claim: (demands: readonly Demand[]) => Promise<ClaimedPass[]>;
  take: (pass: ClaimedPass) => void;
  /** What bears on how much to claim. */
  outlook: () => ClaimOutlook;
  /** By lane, passes that wait for a runner already. */
  waiting: () => Iterable<readonly [laneId: number, passes: number]>;
  claimLimit: number;
  log: Logger;
}

export class ClaimLoop {
  readonly #options: ClaimLoopOptions;
  /** Lanes that may hold work. A set keeps the order: a lane served goes to the end. */
  readonly #hot = new Set<number>();
  /** Lanes of the claim under way. */
  #claiming: readonly number[] = [];
  readonly #loop: Loop;
  #claims = 0;

  constructor(options: ClaimLoopOptions) {
    this.#options = options;
    // Hints of one turn of the event loop go into one claim.
    this.#loop = new Loop({ name: 'claim', turn: () => this.#claim(), log: options.log });
  }

  /** Claims made so far. */
  get claims(): number {
    return this.#claims;
  }

  start(): void {
    this.#loop.start();
    this.capacityFreed();
  }

  /** No claim starts any more; resolves when the one under way has ended. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Whether the lane, or another with the same runners, may hold work that is not claimed yet. */
  mayHoldWork(laneId: number): boolean {
    if (this.#hot.has(laneId) || this.#claiming.includes(laneId)) return true;
    const { routes } = this.#options;
    const pool = routes.get(laneId)?.pool;
    for (const lanes of [this.#claiming, this.#hot]) {
      for (const other of lanes) if (routes.get(other)?.pool === pool) return true;
    }
    return false;
  }

  /** These lanes may hold work. */
  look(laneIds: Iterable<number>): void {
    for (const laneId of laneIds) this.#hot.add(laneId);
    this.capacityFreed();
  }

  /** Some runner has a free slot. */
  capacityFreed(): void {
    if (this.#hot.size > 0) this.#loop.nudge();
  }

  /** Claims once, for all lanes that may hold work and have a free runner. */
  async #claim(): Promise<void> {
    const pools = this.#plan();
    if (pools.length === 0) return;
    this.#claiming = pools.flatMap(({ laneIds }) => laneIds);
    for (const laneId of this.#claiming) this.#hot.delete(laneId);
    try {
      this.#claims += 1;
      const shares = await this.#share(pools);
      this.#admit(shares, shares.demands.length > 0 ? await this.#options.claim(shares.demands) : []);
      this.capacityFreed();
    } catch (error) {
      for (const laneId of this.#claiming) this.#hot.add(laneId);
      throw error;
    } finally {
      this.#claiming = [];
    }
  }

  #plan(): Pool[] {
    const { claimLimit, outlook, routes, waiting } = this.#options;
    const pace = { ...outlook(), nowMs: performance.now() };
    for (const laneId of this.#hot) if (!routes.get(laneId)) this.#hot.delete(laneId);
    return planPools({ routes, waiting: waiting(), limit: claimLimit, ...pace, laneIds: [...this.#hot] });
  }

  /** A lane that is alone in its pool has all the room: nobody has to look who comes first. */
  async #share(pools: readonly Pool[]): Promise<Shares> {
    const alone = pools.flatMap(({ laneIds: [laneId, other], limit }) =>
      laneId === undefined || other !== undefined ? [] : [{ laneId, limit }],
    );
    const shared = pools.filter(({ laneIds }) => laneIds.length > 1);
    if (shared.length === 0) return { demands: alone, more: [] };
    const { demands, more } = await this.#options.share(shared);
    return { demands: [...alone, ...demands], more };
  }

  /**
   * What got all that it asked for may hold more, and so does what there was no room for. Of what
   * got less, nothing can be claimed now (somebody has locked it, or limits its number): whoever
   * changes that says so.
   */
  #admit({ demands, more }: Shares, passes: readonly ClaimedPass[]): void {
    const claimed = new Map<number, number>();
    for (const { laneId } of passes) claimed.set(laneId, (claimed.get(laneId) ?? 0) + 1);
    const asked = new Set(demands.map(({ laneId }) => laneId));
    for (const { laneId, limit } of demands) if ((claimed.get(laneId) ?? 0) >= limit) this.#hot.add(laneId);
    for (const laneId of more) if (!asked.has(laneId)) this.#hot.add(laneId);
    for (const pass of passes) this.#options.take(pass);
  }
}

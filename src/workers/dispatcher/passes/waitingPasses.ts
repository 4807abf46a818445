import type { ClaimedPass } from '../work.ts';
import type { HeldPass } from './heldPass.ts';

/** Passes without a free runner, first come first served within a lane. Bounded. */
export class WaitingPasses<Pass extends ClaimedPass> {
  readonly #max: number;
  readonly #byLane = new Map<number, Set<HeldPass<Pass>>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  of(laneId: number): number {
    return this.#byLane.get(laneId)?.size ?? 0;
  }

  /** False: no room. */
  add(held: HeldPass<Pass>): boolean {
    if (this.#size >= this.#max) return false;
    const { laneId } = held.pass;
    const lane = this.#byLane.get(laneId);
    if (lane) lane.add(held);
    else this.#byLane.set(laneId, new Set([held]));
    this.#size += 1;
    return true;
  }

  remove(held: HeldPass<Pass>): void {
    const { laneId } = held.pass;
    const lane = this.#byLane.get(laneId);
    if (!lane?.delete(held)) return;
    this.#size -= 1;
    if (lane.size === 0) this.#byLane.delete(laneId);
  }

  /** Takes out the first passes of these lanes, `limit` at most. */
  takeFor(laneIds: Iterable<number>, limit: number): HeldPass<Pass>[] {
    const taken: HeldPass<Pass>[] = [];
    for (const laneId of laneIds) {
      for (const held of this.#byLane.get(laneId) ?? []) {
        if (taken.length >= limit) break;
        taken.push(held);
      }
    }
    for (const held of taken) this.remove(held);
    return taken;
  }

  /** Takes out those that have waited since before that moment. */
  takeOlderThan(beforeMs: number): HeldPass<Pass>[] {
    const taken: HeldPass<Pass>[] = [];
    for (const lane of this.#byLane.values()) {
      for (const held of lane) {
        if (held.sinceMs >= beforeMs) break;
        taken.push(held);
      }
    }
    for (const held of taken) this.remove(held);
    return taken;
  }

  takeAll(): HeldPass<Pass>[] {
    return this.takeOlderThan(Number.POSITIVE_INFINITY);
  }
}

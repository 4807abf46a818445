import type { HeldPass } from './heldPasses.ts';

/** A bounded queue of passes without a free runner, in order of arrival. */
export class WaitingPasses {
  readonly #max: number;
  /** By lane, in the order of arrival, with their numbers. */
  readonly #byLane = new Map<number, Map<HeldPass, number>>();
  #size = 0;
  #arrived = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  of(laneId: number): number {
    return this.#byLane.get(laneId)?.size ?? 0;
  }

  *byLane(): Iterable<readonly [laneId: number, passes: number]> {
    for (const [laneId, lane] of this.#byLane) yield [laneId, lane.size];
  }

  /** Answers false if the queue is full. */
  add(held: HeldPass): boolean {
    if (this.#size >= this.#max) return false;
    const { laneId } = held.pass;
    const lane = this.#byLane.get(laneId) ?? new Map<HeldPass, number>();
    this.#byLane.set(laneId, lane.set(held, this.#arrived));
    this.#arrived += 1;
    this.#size += 1;
    return true;
  }

  remove(held: HeldPass): void {
    const { laneId } = held.pass;
    const lane = this.#byLane.get(laneId);
    if (!lane?.delete(held)) return;
    this.#size -= 1;
    if (lane.size === 0) this.#byLane.delete(laneId);
  }

  /** Removes the first passes of these lanes, `limit` at most. */
  takeFor(laneIds: Iterable<number>, limit: number): HeldPass[] {
    const first: [HeldPass, number][] = [];
    for (const laneId of laneIds) {
      let left = limit;
      for (const entry of this.#byLane.get(laneId) ?? []) {
        if (left === 0) break;
        first.push(entry);
        left -= 1;
      }
    }
    const taken = first
      .sort(([, one], [, other]) => one - other)
      .slice(0, limit)
      .map(([held]) => held);
    for (const held of taken) this.remove(held);
    return taken;
  }

  /** Removes the passes that have waited since before that moment of the monotonic clock. */
  takeOlderThan(beforeMs: number): HeldPass[] {
    const taken: HeldPass[] = [];
    for (const lane of this.#byLane.values()) {
      for (const held of lane.keys()) {
        if (held.sinceMs >= beforeMs) break;
        taken.push(held);
      }
    }
    for (const held of taken) this.remove(held);
    return taken;
  }

  takeAll(): HeldPass[] {
    return this.takeOlderThan(Number.POSITIVE_INFINITY);
  }
}

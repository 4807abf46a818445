import type { PlainWork } from './plainWork.ts';
import { scope } from './scope.ts';

/** How long the handler's own work may delay the end of an answer whose steps are all parked. */
const ownWorkMs = 10_000;
/** The delay if such work happened but none is visible now: a query may be in flight. */
const lingerMs = 50;
const lookAgainMs = 5;

/** Schedules looks at a handler, each after the direct effects of what moved it. */
export class Looks {
  readonly #plainWork: PlainWork;
  readonly #look: () => void;
  #isScheduled = false;
  #isResting = false;
  #movedAt = performance.now();
  #hasMoved = false;

  constructor(plainWork: PlainWork, look: () => void) {
    this.#plainWork = plainWork;
    this.#look = look;
  }

  /** The handler has moved: it reached or awaited a step, or a step settled. */
  moved(): void {
    // Reading the clock is the costliest part of a saved step, so it happens once per look.
    if (!this.#hasMoved) this.#movedAt = performance.now();
    this.#hasMoved = true;
    this.#lookIn(0);
  }

  /** Looks once more in a while. */
  again(): void {
    this.#lookIn(lookAgainMs);
  }

  /** Schedules no looks until `resume`. */
  rest(): void {
    this.#isResting = true;
  }

  resume(): void {
    this.#isResting = false;
    this.#hasMoved = false;
  }

  /**
   * Whether the handler's own work may be running. `untracedMs`: how long to assume so without a
   * trace.
   */
  mayMove(untracedMs: number): boolean {
    const { isBusy, startedAt } = this.#plainWork;
    const quietMs = performance.now() - Math.max(this.#movedAt, startedAt ?? 0);
    if (isBusy) return quietMs < ownWorkMs;
    return quietMs < (startedAt === undefined ? untracedMs : lingerMs);
  }

  #lookIn(ms: number): void {
    if (this.#isScheduled || this.#isResting) return;
    this.#isScheduled = true;
    const look = (): void => {
      this.#isScheduled = false;
      this.#hasMoved = false;
      this.#look();
    };
    // Outside of the scope, so that this timer does not count as the handler's own work.
    scope.run(undefined, () => (ms === 0 ? setImmediate(look) : setTimeout(look, ms)));
  }
}

import type { ClaimedPass } from '../../../engine/passes/index.ts';
import type { RunnerLink } from '../routing/runnerLink.ts';

/**
 * Where a pass in memory stands.
 * - `waiting`: for a free runner.
 * - `invoked`: a runner works on it.
 * - `void`: a runner works on it, but nobody wants its answer; only its slot is still taken.
 * - `settling`: its answer is being committed.
 */
export type HeldState = 'waiting' | 'invoked' | 'void' | 'settling';

/** A pass in memory, from its claim until it is released. */
export class HeldPass {
  readonly pass: ClaimedPass;
  /** Of the last invoke. */
  invokeId = '';
  /** Lost to another dispatcher, or given up: whatever comes is dropped. */
  forgotten = false;
  #state: HeldState = 'waiting';
  #link: RunnerLink | undefined;
  #sinceMs = performance.now();

  constructor(pass: ClaimedPass) {
    this.pass = pass;
  }

  get state(): HeldState {
    return this.#state;
  }

  /** The runner whose slot it takes. */
  get link(): RunnerLink | undefined {
    return this.#link;
  }

  /** Since when it is in this state, on the monotonic clock. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /**
   * Goes to another state. It keeps its slot, and the time of its invoke, only where it becomes
   * void (P1).
   */
  transition(to: 'waiting' | 'void' | 'settling'): void {
    this.#state = to;
    if (to === 'void') return;
    this.#sinceMs = performance.now();
    this.freeSlot();
  }

  /** Is invoked from now on, and takes a slot of that runner. */
  invoke(link: RunnerLink, invokeId: string): void {
    this.#state = 'invoked';
    this.#sinceMs = performance.now();
    this.#link = link;
    this.invokeId = invokeId;
    link.load += 1;
  }

  /** Its runner has done with it. */
  freeSlot(): void {
    if (this.#link) this.#link.load -= 1;
    this.#link = undefined;
  }
}

import type { Logger } from 'pino';
import type { ClaimedPass } from '../../../engine/passes/index.ts';
import { Outbox } from '../../outbox.ts';
import { within } from '../../within.ts';
import type { RunnerLink } from '../routing/runnerLink.ts';

/**
 * The state of a pass in memory.
 * - `waiting`: has no runner.
 * - `invoked`: a runner executes it.
 * - `settling`: its answer is being committed.
 * - `over`: released, or abandoned. A later answer is dropped.
 */
export type HeldState = 'waiting' | 'invoked' | 'settling' | 'over';

/** The legal transitions. A pass waits again if its run continues, or its runner declines it. */
const following: Readonly<Record<HeldState, readonly HeldState[]>> = {
  waiting: ['invoked', 'over'],
  invoked: ['settling', 'waiting', 'over'],
  settling: ['waiting', 'over'],
  over: [],
};

/** Receives an illegal transition. */
export type OnIllegal = (transition: { runId: string; from: HeldState; to: HeldState }) => void;

/** A pass in memory, from its claim until it is released. */
export class HeldPass {
  readonly pass: ClaimedPass;
  /** Whether the last invoke continues a handler. */
  isContinued = false;
  readonly #onIllegal: OnIllegal;
  #state: HeldState = 'waiting';
  #link: RunnerLink | undefined;
  #invokeId = '';
  #sinceMs = performance.now();

  constructor(pass: ClaimedPass, onIllegal: OnIllegal) {
    this.pass = pass;
    this.#onIllegal = onIllegal;
  }

  get state(): HeldState {
    return this.#state;
  }

  /** The runner whose slot the pass occupies. */
  get link(): RunnerLink | undefined {
    return this.#link;
  }

  /** The id of the last invoke. */
  get invokeId(): string {
    return this.#invokeId;
  }

  /** When the pass entered its state, or was invoked if it is over; on the monotonic clock. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /**
   * P1. Leaves the runner, and frees its slot. Only a pass that becomes `over` keeps the slot,
   *     until `freeSlot`. Answers false, and changes nothing, if the transition is
   *     illegal.
   */
  transition(to: 'waiting' | 'settling' | 'over'): boolean {
    if (!this.#enter(to)) return false;
    if (to !== 'over') this.#leaveRunner();
    return true;
  }

  /**
   * P1. Occupies a slot of that runner. Answers false, and changes nothing, if the transition is
   *     illegal.
   */
  invoke(link: RunnerLink, invokeId: string): boolean {
    if (!this.#enter('invoked')) return false;
    this.#leaveRunner();
    this.#link = link;
    this.#invokeId = invokeId;
    link.load += 1;
    return true;
  }

  /** Frees the slot, once the runner has finished the pass. */
  freeSlot(): void {
    if (this.#link) this.#link.load -= 1;
    this.#link = undefined;
  }

  #leaveRunner(): void {
    this.#sinceMs = performance.now();
    this.freeSlot();
  }

  #enter(to: HeldState): boolean {
    const from = this.#state;
    const isLegal = following[from].includes(to);
    if (isLegal) this.#state = to;
    else this.#onIllegal({ runId: this.pass.runId, from, to });
    return isLegal;
  }
}

export interface HeldPassesOptions {
  /** Releases the runs of these passes. Never rejects. */
  release: (passes: readonly ClaimedPass[]) => Promise<void>;
  log: Logger;
}

/** The passes in memory, by run. Keeps P3. */
export class HeldPasses {
  readonly #log: Logger;
  readonly #byRun = new Map<string, HeldPass>();
  readonly #releases: Outbox<ClaimedPass>;
  #onIdle: (() => void) | undefined;

  constructor({ release, log }: HeldPassesOptions) {
    this.#log = log;
    this.#releases = new Outbox({ name: 'releasing runs', send: release, log });
  }

  get size(): number {
    return this.#byRun.size;
  }

  get(runId: string): HeldPass | undefined {
    return this.#byRun.get(runId);
  }

  all(): HeldPass[] {
    return [...this.#byRun.values()];
  }

  add(pass: ClaimedPass): HeldPass {
    const held = new HeldPass(pass, (transition) => this.#log.error(transition, 'illegal transition of a pass'));
    this.#byRun.set(pass.runId, held);
    return held;
  }

  /** P3. Forgets a pass whose run is released. Answers false if the pass was over already. */
  remove(held: HeldPass): boolean {
    if (!held.transition('over')) return false;
    const { runId } = held.pass;
    if (this.#byRun.get(runId) === held) this.#byRun.delete(runId);
    if (this.#byRun.size === 0) this.#onIdle?.();
    return true;
  }

  /** P3. Releases the run, so that it can be claimed again. */
  giveBack(held: HeldPass): void {
    if (this.remove(held)) this.#releases.add(held.pass);
  }

  /** Resolves once no pass is held, or after that time. */
  async idle(withinMs: number): Promise<void> {
    if (this.#byRun.size === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
    await within(withinMs, idle);
  }

  /** Resolves once no pass is held and all releases are recorded, or after that time. */
  async settled(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    await this.idle(withinMs);
    await this.#releases.idle(Math.max(0, deadline - performance.now()));
  }
}

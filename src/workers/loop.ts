import type { Logger } from 'pino';
import { backoffMs } from '../engine/db/index.ts';
import { maxInt32 } from '../engine/settings.ts';

export interface LoopOptions {
  /** For the log. */
  name: string;
  /** Takes a turn, which may nudge its own loop. */
  turn: () => Promise<void> | void;
  /** The interval between two turns. Default: turns only after a nudge. */
  everyMs?: number;
  /** The shortest pause between turns, even after a nudge. Default: none. */
  restMs?: number;
  log: Logger;
}

/**
 * Takes turns, one at a time: at intervals, and sooner after a nudge. A failed turn is logged, and
 * the next one follows after a back-off of at most an interval. So each turn must also do the work
 * of a failed one.
 */
export class Loop {
  readonly #options: LoopOptions;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  /** No turn begins earlier, even after a nudge. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** The due time of the next turn, if nudged during the current one. */
  #nudgedAt = Number.POSITIVE_INFINITY;
  #turn: Promise<void> | undefined;
  #failures = 0;
  #isRunning = false;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** With an interval, the first turn begins at once. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    if (this.#options.everyMs !== undefined) this.nudge();
  }

  /** Starts no further turn, and forgets nudges. Resolves when the current turn has ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#unschedule();
    this.#restsUntil = Number.NEGATIVE_INFINITY;
    this.#nudgedAt = Number.POSITIVE_INFINITY;
    await this.#turn;
  }

  /** Requests a turn within `inMs`. Ignored unless the loop is running. */
  nudge(inMs = 0): void {
    if (!this.#isRunning) return;
    if (this.#turn) this.#nudgedAt = Math.min(this.#nudgedAt, performance.now() + inMs);
    else this.#schedule(inMs);
  }

  #schedule(inMs: number): void {
    const nowMs = performance.now();
    const dueAt = Math.max(nowMs + inMs, this.#restsUntil);
    if (dueAt >= this.#dueAt) return;
    this.#unschedule();
    this.#dueAt = dueAt;
    const take = (): void => {
      this.#turn = this.#take();
    };
    if (dueAt <= nowMs) this.#immediate = setImmediate(take);
    else this.#timer = setTimeout(take, Math.min(dueAt - nowMs, maxInt32));
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  async #take(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY;
    const { everyMs = Number.POSITIVE_INFINITY, restMs = 0 } = this.#options;
    const failed = await this.#attempt();
    this.#turn = undefined;
    const nudgedIn = this.#nudgedAt - performance.now();
    this.#nudgedAt = Number.POSITIVE_INFINITY;
    if (!this.#isRunning) return;
    const pauseMs = failed ? Math.min(everyMs, Math.max(restMs, backoffMs(this.#failures))) : restMs;
    this.#restsUntil = performance.now() + pauseMs;
    this.#schedule(failed ? pauseMs : Math.min(everyMs, nudgedIn));
  }

  /** Whether the turn failed. */
  async #attempt(): Promise<boolean> {
    const { log, name, turn } = this.#options;
    try {
      await turn();
      this.#failures = 0;
      return false;
    } catch (error) {
      this.#failures += 1;
      log.warn({ err: error, failures: this.#failures }, `${name} failed: retrying`);
      return true;
    }
  }
}

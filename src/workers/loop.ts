import type { Logger } from 'pino';
import { backoffMs } from '../engine/db/index.ts';
import { maxInt32 } from '../engine/settings.ts';

export interface LoopOptions {
  /** For the log. */
  name: string;
  /** One turn. It may nudge its own loop for the next one. */
  turn: () => Promise<void> | void;
  /** From the end of a turn to the next. Default: a turn is taken only when it is asked for. */
  everyMs?: number;
  /** From the end of a turn to the next that is asked for, at least. Default: none. */
  restMs?: number;
  log: Logger;
}

/**
 * Takes turns, never two at once: at intervals, and sooner when nudged. A turn that failed is
 * logged and taken again after a pause, at the latest after the interval: each turn must be able to
 * make up for the one before.
 */
export class Loop {
  readonly #options: LoopOptions;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  /** No turn is taken before, nudged or not. */
  #restsUntil = Number.NEGATIVE_INFINITY;
  /** While a turn is under way: when the next is asked for. */
  #nudgedAt = Number.POSITIVE_INFINITY;
  #turn: Promise<void> | undefined;
  #failures = 0;
  #isRunning = false;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** With an interval, the first turn is taken at once. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    if (this.#options.everyMs !== undefined) this.nudge();
  }

  /**
   * Takes no further turn; resolves when the one under way has ended. What was asked for is
   * forgotten.
   */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#unschedule();
    this.#restsUntil = Number.NEGATIVE_INFINITY;
    this.#nudgedAt = Number.POSITIVE_INFINITY;
    await this.#turn;
  }

  /** Asks for a turn in `inMs` at the latest. Ignored unless the loop is running. */
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

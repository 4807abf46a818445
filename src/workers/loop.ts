import type { Logger } from 'pino';

export interface LoopOptions {
  name: string;
  /**
   * One turn. `again`: there is more at once. `nextInMs`: something is known to come up by then; otherwise the next turn is
   * after `intervalMs`.
   */
  runOnce: () => Promise<{ again: boolean; nextInMs?: number | undefined }>;
  intervalMs: number;
  log: Logger;
}

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** A background service: turns one after the other, at intervals, sooner when nudged, with pauses while they fail. */
export class Loop {
  readonly #options: LoopOptions;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #turn: Promise<void> | undefined;
  #nudgedAt = Number.POSITIVE_INFINITY;
  #failures = 0;
  #running = false;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Takes the first turn at once. */
  start(): void {
    this.#running = true;
    this.#schedule(0);
  }

  /** Takes no further turn; resolves when the one under way has ended. */
  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  /** Asks for a turn in `inMs` at the latest. */
  nudge(inMs = 0): void {
    if (!this.#running) return;
    if (this.#turn) this.#nudgedAt = Math.min(this.#nudgedAt, performance.now() + inMs);
    else this.#schedule(inMs);
  }

  #schedule(inMs: number): void {
    const at = performance.now() + inMs;
    if (!this.#running || at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#turn = this.#take();
      },
      Math.min(inMs, 2 ** 31 - 1),
    );
  }

  async #take(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY;
    const inMs = await this.#runOnce();
    this.#turn = undefined;
    const nudgedIn = this.#nudgedAt - performance.now();
    this.#nudgedAt = Number.POSITIVE_INFINITY;
    this.#schedule(Math.max(0, Math.min(inMs, nudgedIn)));
  }

  /** In how many ms the next turn is due. */
  async #runOnce(): Promise<number> {
    const { name, runOnce, intervalMs, log } = this.#options;
    try {
      const { again, nextInMs } = await runOnce();
      this.#failures = 0;
      return again ? 0 : Math.min(intervalMs, nextInMs ?? intervalMs);
    } catch (error) {
      this.#failures += 1;
      log.warn({ error, loop: name }, 'a background turn failed');
      return Math.min(firstPauseMs * 2 ** Math.min(this.#failures - 1, 10), longestPauseMs);
    }
  }
}

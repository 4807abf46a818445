/** How much later than due the service's ping may come, and how often silence is looked for. */
const graceMs = 5_000;
const lookMs = 2_000;

/**
 * Calls `onSilence`, once, when nothing has come from the service for longer than its heart beats:
 * the socket is half open. Not only whole frames count: behind a large one that takes its time a
 * ping is heard only late.
 */
export class Heartbeat {
  readonly #onSilence: () => void;
  readonly #heard: () => number;
  #lastHeard = 0;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #wasSilent = false;

  /** `heard`: grows with all that comes. */
  constructor(heard: () => number, onSilence: () => void) {
    this.#heard = heard;
    this.#onSilence = onSilence;
  }

  /** `beatMs`: how often the service pings. */
  start(beatMs: number): void {
    this.stop();
    this.#listen();
    const limitMs = beatMs + Math.min(graceMs, beatMs);
    this.#timer = setInterval(() => this.#look(limitMs), Math.min(lookMs, limitMs / 4));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Twice in a row: after this process was busy for long, what has arrived meanwhile is read only
   * between two looks.
   */
  #look(limitMs: number): void {
    if (this.#heard() !== this.#lastHeard) this.#listen();
    const isSilent = performance.now() - this.#heardAt > limitMs;
    if (isSilent && this.#wasSilent) {
      this.stop();
      this.#onSilence();
    }
    this.#wasSilent = isSilent;
  }

  #listen(): void {
    this.#lastHeard = this.#heard();
    this.#heardAt = performance.now();
  }
}

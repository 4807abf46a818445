/** How late a ping of the service may be, and how often silence is checked. */
const graceMs = 5_000;
const lookMs = 2_000;

/**
 * Calls `onSilence` once when the service's ping is overdue: the socket is half open. Any received
 * byte counts, because a ping arrives late behind a large frame.
 */
export class Heartbeat {
  readonly #onSilence: () => void;
  readonly #heard: () => number;
  #lastHeard = 0;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #wasSilent = false;

  /** `heard` returns a number that grows with everything received. */
  constructor(heard: () => number, onSilence: () => void) {
    this.#heard = heard;
    this.#onSilence = onSilence;
  }

  /** `beatMs`: the interval of the service's pings. */
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
   * Requires silence twice in a row. After this process was blocked, the first check runs before
   * received data is read.
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

/** How much later than due the service's ping may come, and how often silence is looked for. */
const graceMs = 5_000;
const lookMs = 2_000;

/** Calls `onSilence`, once, when the service has not been heard for longer than its heart beats: the socket is half open. */
export class Heartbeat {
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #wasSilent = false;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  /** `beatMs`: how often the service pings. */
  start(beatMs: number): void {
    this.stop();
    this.heard();
    const limitMs = beatMs + Math.min(graceMs, beatMs);
    this.#timer = setInterval(() => this.#look(limitMs), Math.min(lookMs, limitMs / 4));
  }

  heard(): void {
    this.#heardAt = performance.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Twice in a row: after this process was busy for long, what has arrived meanwhile is read only between two looks. */
  #look(limitMs: number): void {
    const isSilent = performance.now() - this.#heardAt > limitMs;
    if (isSilent && this.#wasSilent) {
      this.stop();
      this.#onSilence();
    }
    this.#wasSilent = isSilent;
  }
}

/** Calls `onSilence` when nothing was heard for three beats of the service's heart: the connection is half open. */
export class Heartbeat {
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isAlive = true;
  #misses = 0;

  constructor(onSilence: () => void) {
    this.#onSilence = onSilence;
  }

  start(beatMs: number): void {
    this.stop();
    this.#timer = setInterval(() => this.#beat(), Math.max(1, beatMs));
  }

  heard(): void {
    this.#isAlive = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    this.#misses = this.#isAlive ? 0 : this.#misses + 1;
    this.#isAlive = false;
    if (this.#misses >= 3) {
      this.stop();
      this.#onSilence();
    }
  }
}

/** A read that the metrics of a scrape share, and further scrapes soon after it. */
export class SharedRead<Figures> {
  readonly #maxAgeMs: number;
  readonly #read: () => Promise<Figures>;
  #reading: Promise<Figures> | undefined;

  constructor(maxAgeMs: number, read: () => Promise<Figures>) {
    this.#maxAgeMs = maxAgeMs;
    this.#read = read;
  }

  /** Figures of at most this age. A failed read is not kept. */
  get(): Promise<Figures> {
    if (this.#reading) return this.#reading;
    const reading = this.#read();
    this.#reading = reading;
    const forget = (): void => {
      if (this.#reading === reading) this.#reading = undefined;
    };
    reading.then(() => setTimeout(forget, this.#maxAgeMs).unref(), forget);
    return reading;
  }
}

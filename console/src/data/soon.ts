export interface SoonOptions {
  run: () => Promise<unknown>;
  /** How long after it was asked for. */
  afterMs?: number;
  /** Calls back later; replaced in tests. */
  later?: ((run: () => void, delayMs: number) => () => void) | undefined;
}

const afterTimeout = (run: () => void, delayMs: number): (() => void) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

/** Runs something a while after it is asked for, once for many askings; again where it fails. */
export class Soon {
  readonly #run: () => Promise<unknown>;
  readonly #afterMs: number;
  readonly #later: (run: () => void, delayMs: number) => () => void;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor({ run, afterMs = 2_000, later = afterTimeout }: SoonOptions) {
    this.#run = run;
    this.#afterMs = afterMs;
    this.#later = later;
  }

  ask(): void {
    if (this.#isStopped) return;
    this.#cancel ??= this.#later(() => {
      this.#cancel = undefined;
      this.#run().catch(() => this.ask());
    }, this.#afterMs);
  }

  /** Begins again after a `stop`: React may mount a page twice. */
  start(): void {
    this.#isStopped = false;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

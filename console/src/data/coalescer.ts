interface CoalescerOptions<Change> {
  /** Called with the last change of each key. */
  apply: (changes: ReadonlyMap<string, Change>) => void;
  /** The shortest time between two calls, in ms. */
  intervalMs?: number;
  /** Calls back before the next frame; replaced in tests. */
  schedule?: (run: () => void, delayMs: number) => () => void;
  now?: () => number;
}

const onFrame = (run: () => void, delayMs: number): (() => void) => {
  let frame = 0;
  const timer = setTimeout(() => {
    frame = requestAnimationFrame(run);
  }, delayMs);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
};

/**
 * Gathers changes by key, and hands them over at most ten times a second. Of several changes of a
 * key the last one counts. So 500 messages a second cost ten renderings.
 */
export class Coalescer<Change> {
  readonly #apply: (changes: ReadonlyMap<string, Change>) => void;
  readonly #intervalMs: number;
  readonly #schedule: (run: () => void, delayMs: number) => () => void;
  readonly #now: () => number;
  #gathered = new Map<string, Change>();
  #cancel: (() => void) | undefined;
  #appliedAt = Number.NEGATIVE_INFINITY;

  constructor({ apply, intervalMs = 100, schedule = onFrame, now = Date.now }: CoalescerOptions<Change>) {
    this.#apply = apply;
    this.#intervalMs = intervalMs;
    this.#schedule = schedule;
    this.#now = now;
  }

  add(key: string, change: Change): void {
    this.#gathered.set(key, change);
    this.#cancel ??= this.#schedule(() => this.#flush(), Math.max(0, this.#appliedAt + this.#intervalMs - this.#now()));
  }

  /** Drops what was gathered. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#gathered.clear();
  }

  #flush(): void {
    this.#cancel = undefined;
    this.#appliedAt = this.#now();
    const changes = this.#gathered;
    this.#gathered = new Map();
    this.#apply(changes);
  }
}

/** The longest delay of a JavaScript timer. A longer one fires at once. */
export const longestTimerMs = 2_147_483_647;

/**
 * Checks an option in milliseconds, which may be `Infinity`. Throws a `TypeError` that names the
 * option.
 */
export function checkMs(option: string, ms: number): number {
  if (typeof ms === 'number' && ms >= 0) return ms;
  throw new TypeError(`${option} must be a number of milliseconds, 0 or more; it is ${String(ms)}`);
}

/**
 * A signal that aborts after any delay, even beyond a timer's limit. Dispose of it when it is no
 * longer needed.
 */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #endMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#endMs = performance.now() + ms;
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #arm(): void {
    const leftMs = this.#endMs - performance.now();
    if (leftMs > 0) this.#timer = setTimeout(() => this.#arm(), Math.min(Math.ceil(leftMs), longestTimerMs));
    else this.#controller.abort(new DOMException('the operation timed out', 'TimeoutError'));
  }
}

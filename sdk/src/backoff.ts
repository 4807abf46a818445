export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * A random delay between half of the doubled ceiling and the whole. The spread keeps clients from
 * returning together.
 */
export function backoffMs(attempt: number, { firstMs, maxMs }: Backoff, random: () => number = Math.random): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.5 + random() / 2));
}

/** Resolves after `ms`, or when `signal` aborts. Never rejects, so check the signal afterwards. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}

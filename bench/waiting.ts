import { setTimeout as delay } from 'node:timers/promises';

interface Until {
  limitMs: number;
  everyMs?: number;
  /** Completes the error: "… did not happen within". */
  what: string;
}

/** Repeats a check until it is true. Throws after `limitMs`. */
export async function until(
  probe: () => boolean | Promise<boolean>,
  { limitMs, everyMs = 20, what }: Until,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await probe())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${limitMs} ms`);
    await delay(everyMs);
  }
}

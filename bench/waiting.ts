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

/** Makes calls in so many loops side by side. */
export async function inLoops(calls: number, loops: number, call: () => Promise<unknown>): Promise<void> {
  let begun = 0;
  const loop = async (): Promise<void> => {
    while (begun < calls) {
      begun += 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
}

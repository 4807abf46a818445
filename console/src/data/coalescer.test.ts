import { describe, expect, it } from 'vitest';
import { Coalescer } from './coalescer.ts';

/** A coalescer with a hand-moved clock. */
function coalescer() {
  const applied: Record<string, number>[] = [];
  let nowMs = 0;
  let due: { at: number; run: () => void } | undefined;
  const made = new Coalescer<number>({
    apply: (changes) => applied.push(Object.fromEntries(changes)),
    now: () => nowMs,
    schedule: (run, delayMs) => {
      due = { at: nowMs + delayMs, run };
      return () => {
        due = undefined;
      };
    },
  });
  const advance = (ms: number): void => {
    const until = nowMs + ms;
    if (due && due.at <= until) {
      nowMs = due.at;
      const { run } = due;
      due = undefined;
      run();
    }
    nowMs = until;
  };
  return { made, applied, advance };
}

describe('the coalescer', () => {
  it('hands over the last change of each key, in one call', () => {
    const { made, applied, advance } = coalescer();
    for (let i = 0; i < 500; i++) made.add(`run ${i % 2}`, i);
    advance(1);
    expect(applied).toEqual([{ 'run 0': 498, 'run 1': 499 }]);
  });

  it('calls at once, then at most ten times a second, however much comes', () => {
    const { made, applied, advance } = coalescer();
    for (let ms = 0; ms < 1000; ms++) {
      made.add('run', ms);
      advance(1);
    }
    expect(applied.length).toBeLessThanOrEqual(11);
  });

  it('hands over nothing once it is stopped', () => {
    const { made, applied, advance } = coalescer();
    made.add('run', 1);
    made.stop();
    advance(1000);
    expect(applied).toEqual([]);
  });
});

import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Poller } from '../../../src/engine/timeline/poller.ts';

let looks: number;
let nextInMs: number | undefined;
let fails: boolean;
let poller: Poller;

beforeEach(() => {
  vi.useFakeTimers();
  looks = 0;
  fails = false;
  nextInMs = undefined;
  poller = new Poller({
    what: 'news',
    log: pino({ level: 'silent' }),
    nextInMs: () => nextInMs,
    runOnce: async () => {
      looks += 1;
      if (fails) throw new Error('away');
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
});

async function adjustedTo(ms: number | undefined): Promise<void> {
  nextInMs = ms;
  poller.adjust();
  await vi.advanceTimersByTimeAsync(0);
}

describe('a poller', () => {
  it('polls at its interval, and stops while there is no interval', async () => {
    await adjustedTo(100);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks).toBe(10);
    await adjustedTo(undefined);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toBe(10);
  });

  it('polls sooner if the interval shrinks, although a poll is due later', async () => {
    await adjustedTo(1_000);
    await adjustedTo(10);
    await vi.advanceTimersByTimeAsync(10);
    expect(looks).toBe(1);
  });

  it('is not delayed by changes while a poll is due', async () => {
    for (let ms = 0; ms < 10; ms += 1) {
      await adjustedTo(10);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(looks).toBe(1);
  });

  it('waits a second after a failed poll, even with a shorter interval', async () => {
    fails = true;
    await adjustedTo(0);
    await vi.advanceTimersByTimeAsync(999);
    expect(looks).toBe(1);
    await adjustedTo(0);
    expect(looks).toBe(1);
    fails = false;
    nextInMs = 100;
    await vi.advanceTimersByTimeAsync(501);
    expect(looks).toBe(7);
  });
});

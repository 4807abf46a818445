import { type Level, pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Loop, type LoopOptions } from '../../src/workers/loop.ts';

let lines: { level: number; msg: string }[];
let loop: Loop;

beforeEach(() => {
  lines = [];
  vi.useFakeTimers();
});
afterEach(async () => {
  const stopped = loop.stop();
  await vi.runAllTimersAsync();
  await stopped;
  vi.useRealTimers();
});

/** A loop that is running, and when its turns were taken, in ms. */
function running(options: Partial<LoopOptions>): number[] {
  const turns: number[] = [];
  const level: Level = 'warn';
  const log = pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const startMs = performance.now();
  const turn = (): void | Promise<void> => {
    turns.push(performance.now() - startMs);
    return options.turn?.();
  };
  loop = new Loop({ name: 'look', log, ...options, turn });
  loop.start();
  return turns;
}

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

it('takes a turn at once, and one after each interval', async () => {
  const turns = running({ everyMs: 100 });
  await pass(250);
  expect(turns).toEqual([0, 100, 200]);
});

it('without an interval takes a turn only on request, and is idle between two', async () => {
  const turns = running({ restMs: 50 });
  await pass(1_000);
  expect(turns).toEqual([]);
  loop.nudge();
  loop.nudge();
  await pass(10);
  loop.nudge();
  await pass(1_000);
  expect(turns).toEqual([1_000, 1_050]);
});

it('takes a turn sooner when it is nudged, never later', async () => {
  const turns = running({ everyMs: 100 });
  await pass(10);
  loop.nudge(20);
  loop.nudge(500);
  await pass(100);
  expect(turns).toEqual([0, 30]);
  await pass(30);
  expect(turns).toEqual([0, 30, 130]);
});

it('never takes two turns at once: a request in a turn leads to the next one', async () => {
  let end = (): void => undefined;
  const turns = running({ everyMs: 100, turn: () => new Promise((resolve) => (end = resolve)) });
  await pass(10);
  loop.nudge();
  await pass(500);
  expect(turns).toHaveLength(1);
  end();
  await pass(0);
  expect(turns).toEqual([0, 510]);
  end();
});

it('pauses longer and longer while turns fail, even if nudged, but no longer than its interval', async () => {
  const turn = (): Promise<void> => Promise.reject(new Error('away'));
  const turns = running({ everyMs: 300, turn });
  const nudges = setInterval(() => loop.nudge(), 10);
  await pass(1_000);
  clearInterval(nudges);
  expect(turns).toEqual([0, 50, 150, 350, 650, 950]);
  expect(lines).toMatchObject(turns.map(() => ({ msg: 'look failed: retrying' })));
});

it('that was stopped takes no turn, and takes one when it is started again', async () => {
  const turns = running({ everyMs: 100, turn: () => Promise.reject(new Error('away')) });
  await pass(0);
  await loop.stop();
  loop.nudge();
  await pass(500);
  expect(turns).toEqual([0]);
  loop.start();
  await pass(0);
  expect(turns).toEqual([0, 500]);
});

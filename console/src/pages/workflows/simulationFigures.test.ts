import { describe, expect, it } from 'vitest';
import { differenceOf, executions, figuresOf, pairGates, type SimulatedStart } from './simulationFigures.ts';
import { chartOf, widthFor } from './simulationSeries.ts';

const minute = 60_000;
const textOf = (ms: number): string => new Date(ms).toISOString();

let runs = 0;

/** A start that comes `at` ms after the beginning, and executes from `begins` on for a minute. */
function start(at: number, begins: number | null, more: Partial<SimulatedStart> = {}): SimulatedStart {
  return {
    ...{ at: textOf(at), startedAt: begins === null ? null : textOf(begins), outcome: 'STARTED' },
    simulatedRun: begins === null ? null : runs++,
    ...{ activeMs: minute, bufferedMs: 0, spacedMs: 0, queuedMs: begins === null ? 0 : begins - at },
    ...more,
  };
}
const simulated = (starts: SimulatedStart[]) => ({ starts });
const dropped = (at: number): SimulatedStart => start(at, null, { outcome: 'DROPPED' });

describe('the figures of a simulation', () => {
  it('count what came, began, was withheld and delayed', () => {
    const starts = [start(0, 0), start(0, 1_000), start(10, 5_010), dropped(20)];
    expect(figuresOf(simulated(starts))).toEqual({
      ...{ came: 4, runs: 3, withheld: 1, delayed: 2, medianMs: 1_000, longestMs: 5_000 },
      ...{ mostExecuting: 3, mostWaiting: 2 },
    });
    expect(figuresOf(simulated([]))).toMatchObject({ came: 0, medianMs: 0, longestMs: 0, mostExecuting: 0 });
  });

  it('do not count a run that ends together with the one that begins', () => {
    expect(figuresOf(simulated([start(0, 0, { activeMs: 999 }), start(0, 999)])).mostExecuting).toBe(1);
    expect(figuresOf(simulated([start(0, 0, { activeMs: 0 })])).mostExecuting).toBe(1);
  });

  it('count a batch as one run', () => {
    const batched = (simulatedRun: number) => start(10, 100, { outcome: 'BATCHED', activeMs: 9, simulatedRun });
    expect(executions(simulated([batched(-1), batched(-1), batched(-2), start(100, 100)]))).toEqual([
      [100, 109],
      [100, 109],
      [100, 100 + minute],
    ]);
  });

  it('count a displaced run as executing until its end, and as withheld', () => {
    const starts = [start(0, 0, { outcome: 'DISPLACED', activeMs: 20 }), dropped(10), start(20, 20)];
    expect(figuresOf(simulated(starts))).toMatchObject({ runs: 2, withheld: 2, mostExecuting: 1 });
  });
});

describe('the difference of two simulations', () => {
  const now = simulated([start(0, 0), dropped(5), dropped(6)]);
  const tried = (...starts: SimulatedStart[]): string => differenceOf({ now, tried: simulated(starts) });

  it('is none if each start does the same', () => {
    expect(tried(...now.starts)).toBe('No difference: each start does the same.');
  });

  it('is told by what there is more or less of', () => {
    expect(tried(start(0, 0), start(5, 7), start(6, 6))).toBe(
      'As tried: 2 more runs, 2 fewer starts withheld, 1 more start delayed.',
    );
    const late = simulated([start(0, 1_000), dropped(5), dropped(6)]);
    expect(differenceOf({ now: late, tried: simulated([start(0, 9_000), dropped(5), dropped(6)]) })).toBe(
      'As tried: a median delay of 9.0 s, not 1.0 s.',
    );
    expect(tried(dropped(0), start(5, 5), dropped(6))).toBe('As tried: the same counts, at other times.');
  });
});

it('gates stand side by side, in the order in which starts meet them', () => {
  const gate = (policy: string) => ({ policy, withheld: 1, delayed: 0, medianMs: 0, longestMs: 0 });
  const pairs = pairGates([gate('concurrency')], [gate('rateLimit'), gate('concurrency')]);
  expect(pairs.map(({ policy, now }) => [policy, now !== undefined])).toEqual([
    ['rateLimit', false],
    ['concurrency', true],
  ]);
});

describe('the chart of a simulation', () => {
  const hour = { since: textOf(0), until: textOf(60 * minute) };

  it('has about 60 buckets, of whole seconds where the time is short', () => {
    expect([7_000, 90_000, 60 * minute, 360 * minute, 1_440 * minute].map(widthFor)).toEqual([
      ...[1_000, 2_000, minute, 10 * minute, 30 * minute],
    ]);
  });

  it('counts by bucket what comes and begins, and the most that wait at once', () => {
    const starts = [start(0, 0), start(1_000, 3 * minute), start(2_000, 3 * minute), dropped(minute)];
    const { columns, bucketMs, later } = chartOf({ ...hour, ...simulated(starts) });
    expect({ count: columns.times.length, bucketMs, later }).toEqual({ count: 60, bucketMs: minute, later: 0 });
    expect(columns.values.map((column) => column.slice(0, 5))).toEqual([
      [3, 1, 0, 0, 0],
      [1, 0, 0, 2, 0],
      [2, 2, 2, 0, 0],
    ]);
  });

  it('goes on until the last run has begun, up to twice the time', () => {
    const ends = (begins: number): number | undefined =>
      chartOf({ ...hour, ...simulated([start(0, begins)]) }).columns.times.at(-1);
    expect([ends(minute), ends(90 * minute)]).toEqual([59 * 60, 90 * 60]);
    const far = chartOf({ ...hour, ...simulated([start(0, 0), start(0, 500 * minute)]) });
    expect([far.columns.times.length, far.later]).toEqual([24, 1]);
  });
});

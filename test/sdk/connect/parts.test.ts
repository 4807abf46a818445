import { afterEach, describe, expect, it, vi } from 'vitest';
import { backoffMs } from '../../../sdk/src/backoff.ts';
import { reconnectMs } from '../../../sdk/src/connect/connection.ts';
import { Heartbeat } from '../../../sdk/src/connect/heartbeat.ts';
import { PhaseTracker, phases } from '../../../sdk/src/connect/phase.ts';
import { durationMs } from '../../../sdk/src/duration.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('silence is noticed within ten seconds after a beat was due, and only once', () => {
  vi.useFakeTimers();
  const silences: number[] = [];
  let heard = 0;
  const heartbeat = new Heartbeat(
    () => heard,
    () => silences.push(performance.now()),
  );
  heartbeat.start(30_000);
  const startedAt = performance.now();
  for (let beat = 0; beat < 5; beat += 1) {
    vi.advanceTimersByTime(30_000);
    heard += 15;
  }
  expect(silences).toEqual([]);
  vi.advanceTimersByTime(200_000);
  expect(silences).toHaveLength(1);
  expect((silences[0] ?? 0) - startedAt - 150_000).toBeLessThanOrEqual(40_000);
});

it('silence of a process that was busy itself is none', () => {
  vi.useFakeTimers();
  let isSilent = false;
  let heard = 0;
  const heartbeat = new Heartbeat(
    () => heard,
    () => {
      isSilent = true;
    },
  );
  heartbeat.start(30_000);
  // The first check that finds silence runs before received data is read.
  vi.advanceTimersByTime(36_000);
  heard += 15;
  vi.advanceTimersByTime(30_000);
  heard += 15;
  vi.advanceTimersByTime(30_000);
  expect(isSilent).toBe(false);
});

it('a socket’s phase only moves forward', () => {
  for (const from of phases) {
    for (const to of phases) {
      const tracker = new PhaseTracker();
      tracker.transition(from);
      const isAhead = phases.indexOf(to) > phases.indexOf(from);
      expect([from, to, tracker.transition(to)]).toEqual([from, to, isAhead]);
      expect(tracker.current).toBe(isAhead ? to : from);
    }
  }
});

it('results are sent in no phase before ready', () => {
  const tracker = new PhaseTracker();
  const can = phases.map((phase) => {
    tracker.transition(phase);
    return tracker.canSend('result');
  });
  expect(can).toEqual([false, false, true, true, false]);
});

it('back-off doubles up to its bound, with jitter below it', () => {
  const backoff = { firstMs: 100, maxMs: 1000 };
  expect([0, 1, 2, 3, 4, 99].map((n) => backoffMs(n, backoff, () => 1))).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect([0, 4].map((n) => backoffMs(n, backoff, () => 0))).toEqual([50, 500]);
});

it('a duration is milliseconds, or a number with a unit', () => {
  const durations = [0, 1.6, '250ms', '5s', '1.5m', '2h', '1d', '1w'] as const;
  expect(durations.map((each) => durationMs(each, 'it'))).toEqual([
    0, 2, 250, 5000, 90_000, 7_200_000, 86_400_000, 604_800_000,
  ]);
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY, '-1s', '', 's', '1 s', '1y']) {
    expect(() => durationMs(wrong as never, 'it')).toThrow(TypeError);
  }
});

describe('the delay before the next dial', () => {
  const failures = Array.from({ length: 200 }, (_, n) => n);

  it('is 4 s at most, so that a runner is back within 5 s of the service', () => {
    expect(Math.max(...failures.map((n) => reconnectMs(n, 0, () => 1)))).toBe(4_000);
  });

  it('is spread over half of its range, so that runners do not return together', () => {
    expect(reconnectMs(99, 0, () => 0)).toBe(2_000);
    expect(reconnectMs(99, 0, () => 0.5)).toBe(3_000);
  });

  it('counts from the start of a dial, which may have taken long to fail', () => {
    expect(reconnectMs(99, 1_500, () => 1)).toBe(2_500);
    expect(reconnectMs(99, 10_000, () => 1)).toBe(250);
    expect(reconnectMs(99, 10_000, () => 0)).toBe(125);
  });

  it('grows from a quarter of a second', () => {
    expect([0, 1, 2, 3, 4, 5].map((n) => reconnectMs(n, 0, () => 1))).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000]);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock, systemClock } from '../../../src/engine/clock.ts';
import { DatabaseClock } from '../../../src/engine/work/databaseClock.ts';

/** The epoch of the database is at this time of the process. */
const epochMs = -1_000_000;

describe('the clock of the database', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** An answer that arrived then, and told an instant from so long before. */
  const hear = (clock: DatabaseClock, { answeredMs, ageMs }: { answeredMs: number; ageMs: number }): void =>
    clock.heard(answeredMs - ageMs - epochMs, answeredMs);

  const answer = { databaseMs: 1_004 - epochMs, sentMs: 1_000, answeredMs: 1_010 };

  it('is told by the quickest answer of the last while', () => {
    const clock = new DatabaseClock({ clock: systemClock });
    hear(clock, { answeredMs: 900, ageMs: 2 });
    hear(clock, { answeredMs: 1_010, ageMs: 6 });
    expect(clock.monotonic(1_050 - epochMs, answer)).toBe(1_052);
  });

  it('is never earlier than the sending of the last answer allows, nor later than its arrival', () => {
    const ahead = new DatabaseClock({ clock: systemClock });
    hear(ahead, { answeredMs: 900, ageMs: -500 });
    expect(ahead.monotonic(1_050 - epochMs, answer)).toBe(1_046);
    const behind = new DatabaseClock({ clock: systemClock });
    hear(behind, { answeredMs: 900, ageMs: 500 });
    expect(behind.monotonic(1_050 - epochMs, answer)).toBe(1_056);
  });

  it('forgets an answer after the next window, because clocks drift', () => {
    const clock = new DatabaseClock({ clock: systemClock });
    hear(clock, { answeredMs: 0, ageMs: 1 });
    hear(clock, { answeredMs: 19_990, ageMs: 3 });
    const later = { databaseMs: 19_987 - epochMs, sentMs: 19_980, answeredMs: 19_990 };
    expect(clock.monotonic(20_100 - epochMs, later)).toBe(20_101);
    hear(clock, { answeredMs: 20_010, ageMs: 5 });
    const last = { databaseMs: 20_005 - epochMs, sentMs: 20_000, answeredMs: 20_010 };
    expect(clock.monotonic(20_100 - epochMs, last)).toBe(20_103);
  });

  it('tells how long an instant is past, and stands still in tests', () => {
    vi.useFakeTimers({ toFake: ['performance'], now: 0 });
    const clock = new DatabaseClock({ clock: systemClock });
    hear(clock, { answeredMs: performance.now(), ageMs: 2 });
    const instant = new Date(performance.now() - 2 - epochMs);
    expect(clock.elapsedMs(instant)).toBe(0);
    vi.advanceTimersByTime(30);
    expect(clock.elapsedMs(instant)).toBe(30);
    vi.advanceTimersByTime(5_000);
    expect(clock.elapsedMs(instant)).toBe(200);
    const still = new DatabaseClock({ clock: new ManualClock(instant) });
    hear(still, { answeredMs: 0, ageMs: 0 });
    expect(still.elapsedMs(instant)).toBe(0);
  });
});

import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextFire } from '../../../src/engine/cron/cron.ts';
import { offsetMsAt } from '../../../src/engine/cron/nextInZone.ts';

const dayMs = 86_400_000;

/** The instant of a local time: the first one, or where it would be without the skip. */
function instantOf(local: number, zone: string): number {
  const [before, after] = [offsetMsAt(zone, local - dayMs), offsetMsAt(zone, local + dayMs)];
  const shown = [local - before, local - after].filter((at) => at + offsetMsAt(zone, at) === local);
  return shown.length > 0 ? Math.min(...shown) : local - before;
}

/**
 * All instants of a schedule from three days before `from` on, by definition: local times one by
 * one, as the clock shows them.
 */
function* definedFires(fields: string, zone: string, from: number): Iterable<number> {
  const locals = CronExpressionParser.parse(fields, { currentDate: new Date(from - 3 * dayMs), tz: 'UTC' });
  for (;;) yield instantOf(locals.next().getTime(), zone);
}

/** The first of them after `from`. A skipped time may come after later times of its day. */
function definedNext(fields: string, zone: string, from: number): number {
  let first = Number.POSITIVE_INFINITY;
  for (const at of definedFires(fields, zone, from)) {
    if (at > from) first = Math.min(first, at);
    if (at > first + dayMs) return first;
  }
  return first;
}

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Cairo'];
const rareDays = [
  '31 10 *',
  '7 11 *',
  'L 10 *',
  '* 11 0#1',
  'L * *',
  '* 3 0#2',
  '* 4 *',
  '14 3 *',
  '* * 0',
  '1-7 11 *',
];
const next = (cron: string, from: string): string => nextFire(cron, new Date(from)).toISOString();

describe('a schedule of few days in a zone that changes its clocks', () => {
  it.each([
    ['CRON_TZ=America/New_York 30 1 7 11 *', '2027-11-07T05:30:00.000Z'],
    ['CRON_TZ=America/New_York 30 1 * 11 0#1', '2027-11-07T05:30:00.000Z'],
    ['CRON_TZ=Europe/Berlin 30 2 31 10 *', '2027-10-31T00:30:00.000Z'],
    ['CRON_TZ=Europe/Berlin 30 2 L 10 *', '2027-10-31T00:30:00.000Z'],
  ])('fires the first time that its time is shown, whichever changes lie ahead of that: %s', (cron, at) => {
    for (const from of ['2026-12-01T00:00:00Z', '2027-01-15T12:00:00Z', '2027-04-01T00:00:00Z', '2027-10-30T00:00:00Z'])
      expect(next(cron, from)).toBe(at);
  });

  it('fires when it is defined to, wherever one asks from', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones, 'Africa/Casablanca', 'Pacific/Chatham', 'Asia/Kolkata'),
        fc.constantFrom(...rareDays),
        fc.constantFrom('30 0', '30 1', '*/20 1', '30 2', '0,45 2-3', '15 3', '0 0'),
        fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2033, 0, 1) }),
        (zone, days, times, from) => {
          const fields = `${times} ${days}`;
          expect(nextFire(`CRON_TZ=${zone} ${fields}`, new Date(from)).getTime()).toBe(definedNext(fields, zone, from));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('has the same next fire for every moment before it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones, 'Africa/Casablanca'),
        fc.constantFrom(...rareDays),
        fc.constantFrom('30 1', '30 2', '0 *'),
        fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2033, 0, 1) }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (zone, days, times, from, share) => {
          const cron = `CRON_TZ=${zone} ${times} ${days}`;
          const at = nextFire(cron, new Date(from)).getTime();
          const between = from + Math.floor((at - from) * share);
          expect(nextFire(cron, new Date(between)).getTime()).toBe(at);
        },
      ),
      { numRuns: 500 },
    );
  });
});

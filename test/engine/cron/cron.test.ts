import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCron, nextFire } from '../../../src/engine/cron/cron.ts';

/** The next `count` instants. */
function fires(cron: string, after: string, count: number): string[] {
  const instants: string[] = [];
  for (let at = new Date(after); instants.length < count; ) {
    at = nextFire(cron, at);
    instants.push(at.toISOString().replace(':00.000Z', 'Z'));
  }
  return instants;
}

describe('a cron schedule', () => {
  it('is UTC unless it names a zone', () => {
    expect(fires('30 9 * * *', '2026-01-01T00:00:00Z', 2)).toEqual(['2026-01-01T09:30Z', '2026-01-02T09:30Z']);
    expect(fires('CRON_TZ=America/New_York 30 9 * * *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T14:30Z']);
    expect(fires('CRON_TZ=Asia/Kolkata 0 0 1 * *', '2026-01-05T00:00:00Z', 1)).toEqual(['2026-01-31T18:30Z']);
  });

  it('names its zone by TZ= as well as by CRON_TZ=', () => {
    expect(fires('TZ=America/New_York 30 9 * * *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T14:30Z']);
  });

  it.each([
    ['@yearly', '2027-01-01T00:00Z'],
    ['@annually', '2027-01-01T00:00Z'],
    ['@monthly', '2026-02-01T00:00Z'],
    ['@weekly', '2026-01-18T00:00Z'],
    ['@daily', '2026-01-15T00:00Z'],
    ['@midnight', '2026-01-15T00:00Z'],
    ['@hourly', '2026-01-14T13:00Z'],
    ['@Daily', '2026-01-15T00:00Z'],
    ['TZ=Asia/Kolkata @daily', '2026-01-14T18:30Z'],
    ['CRON_TZ=Asia/Kolkata @hourly', '2026-01-14T12:30Z'],
  ])('may be a name: %s', (cron, next) => {
    expect(fires(cron, '2026-01-14T12:00:00Z', 1)).toEqual([next]);
  });

  it('@hourly follows the clock through the night when it goes back', () => {
    const named = fires('TZ=Europe/Berlin @hourly', '2026-10-24T22:30:00Z', 6);
    expect(named).toEqual(fires('CRON_TZ=Europe/Berlin 0 * * * *', '2026-10-24T22:30:00Z', 6));
  });

  it('has five fields, or six with seconds in front', () => {
    expect(nextFire('*/20 * * * * *', new Date('2026-01-01T00:00:05Z')).toISOString()).toBe('2026-01-01T00:00:20.000Z');
    expect(fires('*/20 * * * *', '2026-01-01T00:00:05Z', 1)).toEqual(['2026-01-01T00:20Z']);
  });

  it('fires strictly after the instant given, on whole seconds', () => {
    expect(fires('0 0 * * *', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-02T00:00Z']);
    expect(fires('0 0 * * *', '2025-12-31T23:59:59.999Z', 1)).toEqual(['2026-01-01T00:00Z']);
    expect(fires('0 0 * * *', '2026-01-01T00:00:00.001Z', 1)).toEqual(['2026-01-02T00:00Z']);
  });

  it('understands names, ranges, lists, last days and nth weekdays', () => {
    expect(fires('0 8-10,18 * JAN mon-fri', '2026-01-02T08:00:00Z', 4)).toEqual([
      '2026-01-02T09:00Z',
      '2026-01-02T10:00Z',
      '2026-01-02T18:00Z',
      '2026-01-05T08:00Z',
    ]);
    expect(fires('0 0 L * *', '2026-02-01T00:00:00Z', 1)).toEqual(['2026-02-28T00:00Z']);
    expect(fires('0 0 * * 1#1', '2026-01-06T00:00:00Z', 1)).toEqual(['2026-02-02T00:00Z']);
    expect(fires('0 0 29 2 *', '2026-01-01T00:00:00Z', 1)).toEqual(['2028-02-29T00:00Z']);
    expect(fires('0 0 * * 7', '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-04T00:00Z']);
  });

  it('fires once, an hour later by the clock, on the night when its time is skipped', () => {
    expect(fires('CRON_TZ=Europe/Berlin 30 2 * * *', '2026-03-28T00:00:00Z', 3)).toEqual([
      '2026-03-28T01:30Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:30Z',
    ]);
  });

  it('fires once on the night when its time occurs twice', () => {
    expect(fires('CRON_TZ=Europe/Berlin 30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ]);
  });

  it('fires each of several times that one night skips, also where clocks move by half an hour', () => {
    expect(fires('CRON_TZ=Europe/Berlin */30 2 * * *', '2026-03-28T12:00:00Z', 3)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:00Z',
    ]);
    expect(fires('CRON_TZ=Australia/Lord_Howe 15 2 * * *', '2026-10-02T12:00:00Z', 3)).toEqual([
      '2026-10-02T15:45Z',
      '2026-10-03T15:45Z',
      '2026-10-04T15:15Z',
    ]);
    expect(fires('CRON_TZ=Australia/Lord_Howe 45 1 * * *', '2026-04-04T12:00:00Z', 2)).toEqual([
      '2026-04-04T14:45Z',
      '2026-04-05T15:15Z',
    ]);
  });

  it('with seconds keeps to both switches of its zone, north and south', () => {
    expect(fires('CRON_TZ=America/New_York 15 30 2 * * *', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:30:15.000Z',
      '2026-03-09T06:30:15.000Z',
    ]);
    expect(fires('CRON_TZ=America/New_York 15 30 1 * * *', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:30:15.000Z',
      '2026-11-02T06:30:15.000Z',
    ]);
    expect(fires('CRON_TZ=America/Santiago 0 0 0 * * *', '2026-09-05T12:00:00Z', 2)).toEqual([
      '2026-09-06T04:00Z',
      '2026-09-07T03:00Z',
    ]);
  });

  it('of one time a day fires once on each day of its zone, at that time wherever clocks show it', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Cairo'];
    const days = fc.integer({ min: 0, max: 365 });
    fc.assert(
      fc.property(
        fc.constantFrom(...zones, 'Asia/Kolkata', 'Pacific/Chatham', 'UTC'),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        days,
        (zone, hour, minute, day) => {
          const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
          const start = new Date(Date.UTC(2026, 0, 1) + day * 86_400_000).toISOString();
          const shown = fires(`CRON_TZ=${zone} ${minute} ${hour} * * *`, start, 120).map((at) =>
            local.format(new Date(at)),
          );
          const dates = shown.map((each) => each.slice(0, 10));
          expect(new Set(dates).size).toBe(dates.length);
          const [first, last] = [dates[0] ?? '', dates.at(-1) ?? ''];
          expect((Date.parse(last) - Date.parse(first)) / 86_400_000).toBe(dates.length - 1);
          const asked = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
          expect(shown.filter((each) => each.slice(11) !== asked).length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('goes through both hours of that night when it names every hour', () => {
    expect(fires('CRON_TZ=Europe/Berlin 0 * * * *', '2026-10-24T23:30:00Z', 4)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T01:00Z',
      '2026-10-25T02:00Z',
      '2026-10-25T03:00Z',
    ]);
  });

  it('comes out the same whether followed step by step or asked for from anywhere in between', () => {
    for (const cron of ['CRON_TZ=Europe/Berlin 30 2 * * *', 'CRON_TZ=America/New_York */30 1 * * *']) {
      const steps = fires(cron, '2026-03-01T00:00:00Z', 400).map((at) => new Date(at).getTime());
      for (const [index, at] of steps.entries()) {
        const next = steps[index + 1];
        if (next !== undefined) expect(nextFire(cron, new Date(at + (next - at) / 2)).getTime()).toBe(next);
      }
    }
  });

  it.each([
    ['', /five or six fields/],
    ['* * * *', /five or six fields/],
    ['* * * * * * *', /five or six fields/],
    ['@every 5m', 'has an unknown name: @every 5m; names are @yearly, @annually, @monthly, @weekly, @daily'],
    ['@reboot', /unknown name/],
    ['@constructor', /unknown name/],
    ['60 * * * *', 'has a bad minute field: 60'],
    ['60 * * * * *', 'has a bad second field: 60'],
    ['* 24 * * *', 'has a bad hour field: 24'],
    ['* * 0 * *', 'has a bad day of month field: 0'],
    ['* * * 13 *', 'has a bad month field: 13'],
    ['* * * janfeb *', 'has a bad month field: janfeb'],
    ['* * * 1jan *', 'has a bad month field: 1jan'],
    ['* * * * 8', 'has a bad day of week field: 8'],
    ['* * * * montue', 'has a bad day of week field: montue'],
    ['* * * * 1#9', 'has a bad day of week field: 1#9'],
    ['*/0 * * * *', /bad step/],
    ['*/90 * * * *', /bad step in its minute field/],
    ['* */24 * * *', /bad step in its hour field/],
    ['1-5/x * * * *', /bad minute field/],
    ['H * * * *', /bad minute field/],
    ['* * * * H', /bad day of week field/],
    ['a * * * *', /bad minute field/],
    ['5-1 * * * *', 'has a bad minute field: 5-1'],
    ['0 0 30 2 *', /never fires/],
    ['0 0 15W * *', /bad day of month field/],
    ['CRON_TZ=Mars/Olympus * * * * *', /unknown time zone: Mars/],
    ['CRON_TZ=+02:00 * * * * *', /unknown time zone/],
    ['CRON_TZ= * * * * *', /unknown time zone/],
    ['CRON_TZ=Europe/Berlin', /five or six fields/],
    ['TZ=Mars/Olympus * * * * *', /unknown time zone: Mars/],
    ['TZ=Europe/Berlin', /five or six fields/],
    ['* * * * 1\n0', /bad day of week field/],
    [`${'1,'.repeat(200)}1 * * * *`, /longer than 256/],
  ])('is refused with a reason: %j', (cron, reason) => {
    expect(() => checkCron(cron)).toThrow(reason);
  });
});

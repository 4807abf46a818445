import { describe, expect, it } from 'vitest';
import { checkCron, nextFire } from '../../../src/engine/registry/cron.ts';

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
    ['@daily', /five or six fields/],
    ['60 * * * *', /no valid cron/],
    ['* 24 * * *', /no valid cron/],
    ['* * 0 * *', /no valid cron/],
    ['* * * 13 *', /no valid cron/],
    ['* * * * 8', /no valid cron/],
    ['*/0 * * * *', /bad step/],
    ['*/90 * * * *', /bad step in its minute field/],
    ['* */24 * * *', /bad step in its hour field/],
    ['1-5/x * * * *', /bad minute field/],
    ['H * * * *', /bad minute field/],
    ['* * * * H', /bad day of week field/],
    ['a * * * *', /bad minute field/],
    ['5-1 * * * *', /no valid cron/],
    ['0 0 30 2 *', /never fires/],
    ['0 0 15W * *', /bad day of month field/],
    ['CRON_TZ=Mars/Olympus * * * * *', /unknown time zone: Mars/],
    ['CRON_TZ=+02:00 * * * * *', /unknown time zone/],
    ['CRON_TZ= * * * * *', /unknown time zone/],
    ['CRON_TZ=Europe/Berlin', /five or six fields/],
    ['TZ=Europe/Berlin * * * * *', /bad second field/],
    ['* * * * 1\n0', /bad day of week field/],
    [`${'1,'.repeat(200)}1 * * * *`, /longer than 256/],
  ])('is refused with a reason: %j', (cron, reason) => {
    expect(() => checkCron(cron)).toThrow(reason);
  });
});

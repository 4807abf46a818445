import fc from 'fast-check';
import pg from 'pg';
import { expect, it } from 'vitest';
import { parseArray, parseTimestamp } from '../../../../src/engine/db/pool/columnTypes.ts';

const oids: Record<'instant' | 'array', number> = { instant: 1184, array: 1009 };
const driver = { instant: pg.types.getTypeParser(oids.instant), array: pg.types.getTypeParser(oids.array) };

const two = (n: number): string => String(n).padStart(2, '0');

it('reads any instant of PostgreSQL as the driver does', () => {
  const instant = fc
    .record({
      date: fc.date({
        min: new Date('0001-01-01T00:00:00Z'),
        max: new Date('9999-12-31T00:00:00Z'),
        noInvalidDate: true,
      }),
      fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,6}$/)),
      zone: fc.constantFrom('+00', '+02', '-08', '+05:30', '+00 BC'),
    })
    .map(({ date, fraction, zone }) => `${date.toISOString().slice(0, 19).replace('T', ' ')}${fraction}${zone}`);
  fc.assert(
    fc.property(instant, (text) => {
      expect(parseTimestamp(text)).toEqual(driver.instant(text));
    }),
  );
  for (const odd of ['infinity', '-infinity', '10000-01-01 00:00:00+00', '0099-01-01 00:00:00+00'])
    expect(parseTimestamp(odd)).toEqual(driver.instant(odd));
});

it('keeps each millisecond of a fraction', () => {
  for (let ms = 0; ms < 1000; ms += 1) {
    const fraction = `0${two(ms)}`.slice(-3);
    expect(parseTimestamp(`2026-01-02 03:04:05.${fraction}999+00`)).toEqual(
      new Date(`2026-01-02T03:04:05.${fraction}Z`),
    );
  }
});

it.each([
  ['{}', []],
  ['{a}', ['a']],
  ['{a,b c}', ['a', 'b c']],
  ['{"a,b",c}', ['a,b', 'c']],
  ['{NULL,"NULL",x}', [null, 'NULL', 'x']],
  ['{ANNULLED}', ['ANNULLED']],
  ['{"a\\"b","\\\\",""}', ['a"b', '\\', '']],
])('reads the array %s', (text, items) => {
  expect(parseArray(text)).toEqual(items);
  expect(driver.array(text)).toEqual(items);
});

import { describe, expect, it } from 'vitest';
import { counts, durationIn, durations, keyFault } from './simulationFields.ts';

describe('a duration that a person types', () => {
  it('has units, and reads back as the console shows it', () => {
    expect(['500 ms', '30s', '1 m 30 s', '1.5 h', ' 2 D '].map(durationIn)).toEqual([
      500, 30_000, 90_000, 5_400_000, 172_800_000,
    ]);
    expect(['', '5', 'soon', '5 m soon', '-1 s'].map(durationIn)).toEqual(Array(5).fill(undefined));
    expect([500, 5_000, 90_000, 86_400_000].map(durations.edit)).toEqual(['500 ms', '5 s', '1 m 30 s', '1 d']);
  });

  it('keeps each millisecond', () => {
    for (const ms of [1, 1_234, 61_234, 3_600_001, 90_061_001]) expect(durations.read(durations.edit(ms))).toBe(ms);
  });

  it('lasts from a millisecond to a century', () => {
    expect([durations.read('0 s'), durations.read('36500 d'), durations.read('36501 d')]).toEqual([
      undefined,
      3_153_600_000_000,
      undefined,
    ]);
  });
});

it('a count is a whole number from 1 on', () => {
  expect(['1', ' 1,000 ', '0', '1.5', '', '-3', 'x', '2147483648'].map(counts.read)).toEqual([
    ...[1, 1_000],
    ...Array(6).fill(undefined),
  ]);
});

describe('the stops of a slider', () => {
  it.each([counts, durations])('rise, and each is its own nearest', ({ stops, placeOf }) => {
    expect(stops).toEqual([...new Set(stops)].sort((a, b) => a - b));
    expect(stops.map(placeOf)).toEqual(stops.map((_, place) => place));
  });

  it('have a nearest one for each value', () => {
    const nearest = (value: number): number | undefined => counts.stops[counts.placeOf(value)];
    expect([1, 13, 999_999].map(nearest)).toEqual([1, 12, 10_000]);
  });
});

it('a key is names of fields, joined by dots', () => {
  expect(['a', 'customer.id', '', 'a..b', '.a'].map((path) => keyFault(path) === undefined)).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
});

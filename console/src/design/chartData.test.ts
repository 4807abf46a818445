import { describe, expect, it } from 'vitest';
import { axisLabels, bucketFor, fillBuckets, stacked } from './chartData.ts';

const series = [
  { key: 'a', label: 'A' },
  { key: 'b', label: 'B' },
];
const hour = 3_600_000;

describe('the buckets of a chart', () => {
  it('include those in which nothing happened', () => {
    const rows = [{ at: 2 * hour, values: { a: 4 } }];
    expect(fillBuckets(rows, series, { from: hour + 5, to: 3 * hour, bucketMs: hour })).toEqual({
      times: [3_600, 7_200, 10_800],
      values: [
        [0, 4, 0],
        [0, 0, 0],
      ],
    });
  });

  it('have gaps instead of zeros where a figure is unknown', () => {
    const span = { from: hour, to: 2 * hour, bucketMs: hour, absent: null };
    expect(fillBuckets([{ at: hour, values: { a: 4, b: null } }], series, span).values).toEqual([
      [4, null],
      [null, null],
    ]);
  });

  it('read only figures of their own for a series that is named as a method of objects', () => {
    const named = [{ key: 'constructor', label: 'constructor' }];
    expect(fillBuckets([{ at: 0, values: {} }], named, { from: 0, to: 0, bucketMs: hour }).values).toEqual([[0]]);
  });

  it('are bounded, and keep the latest', () => {
    const { times } = fillBuckets([], series, { from: 0, to: 1e6 * hour, bucketMs: hour });
    expect(times).toHaveLength(2_000);
    expect(times.at(-1)).toBe(1e6 * 3_600);
  });

  it('divide the day, and are few enough to be told apart', () => {
    expect([hour, 24 * hour, 7 * 24 * hour, 30 * 24 * hour].map((span) => bucketFor(span) / 60_000)).toEqual([
      1, 15, 180, 720,
    ]);
  });
});

it('stacked bars reach from the sum of the series below', () => {
  expect(
    stacked({
      times: [1, 2],
      values: [
        [1, null],
        [2, 5],
      ],
    }).values,
  ).toEqual([
    [1, 0],
    [3, 5],
  ]);
});

it('the axis names the day where one begins', () => {
  expect(axisLabels([Date.UTC(2026, 10, 27, 22) / 1000, Date.UTC(2026, 10, 28) / 1000], 'utc')).toEqual([
    '22:00',
    '28 Nov',
  ]);
});

it('the axis of a short time names seconds', () => {
  const midnight = Date.UTC(2026, 10, 28) / 1000;
  expect(axisLabels([midnight - 10, midnight, midnight + 10], 'utc')).toEqual(['23:59:50', '28 Nov', '00:00:10']);
});

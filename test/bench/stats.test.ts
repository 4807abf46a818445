import { describe, expect, it } from 'vitest';
import { acrossRepetitions, percentile, spread } from '../../bench/stats.ts';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe('percentiles', () => {
  it('are values that were measured, by nearest rank', () => {
    expect([1, 50, 99, 100].map((percent) => percentile(hundred, percent))).toEqual([1, 50, 99, 100]);
    expect(percentile([7, 3], 50)).toBe(3);
    expect(percentile([7], 99)).toBe(7);
  });

  it('tell with the mean and the largest how values are spread', () => {
    expect(spread(hundred)).toEqual({ n: 100, mean: 50.5, p50: 50, p95: 95, p99: 99, max: 100 });
  });
});

describe('repetitions', () => {
  it('are told by the least, the median and the largest of each figure, however deep', () => {
    const repetitions = [5, 1, 3].map((value) => ({ rate: value, cpu: { service: value * 10 } }));
    expect(acrossRepetitions(repetitions)).toEqual({
      rate: { min: 1, median: 3, max: 5 },
      cpu: { service: { min: 10, median: 30, max: 50 } },
    });
  });

  it('have as the median of an even number the mean of the two in the middle', () => {
    expect(acrossRepetitions([{ rate: 1 }, { rate: 4 }])).toEqual({ rate: { min: 1, median: 2.5, max: 4 } });
  });

  it('leave out figures that one of them lacks', () => {
    expect(acrossRepetitions([{ a: 1, b: 1 }, { a: 2 }])).toEqual({ a: { min: 1, median: 1.5, max: 2 } });
  });
});

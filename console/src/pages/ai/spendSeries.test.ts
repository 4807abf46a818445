import { describe, expect, it } from 'vitest';
import { readAiSearch, spanOf } from './aiSearch.ts';
import { type SpendRow, spendSeries } from './spendSeries.ts';

const bucket = '2026-11-28T00:00:00.000Z';
const at = Date.parse(bucket);
const row = (model: string | null, cost: number | null, tokens = 10): SpendRow => ({
  bucket,
  model,
  calls: 1,
  tokens,
  cost,
});

describe('the series of spend', () => {
  it('are the models with the highest figure first, and calls without a name', () => {
    const { series, rows } = spendSeries([row('small', 1), row('large', 9), row(null, null)], 'cost');
    expect(series.map(({ key }) => key)).toEqual(['large', 'small', 'without a model name']);
    expect(rows).toEqual([{ at, values: { small: 1, large: 9, 'without a model name': 0 } }]);
  });

  it('sum models beyond five as one', () => {
    const many = Array.from({ length: 8 }, (_, index) => row(`m${index}`, 8 - index, index));
    expect(spendSeries(many, 'cost').series.at(-1)?.label).toBe('3 more models');
    expect(spendSeries(many, 'cost').rows[0]?.values).toMatchObject({ m0: 8, ' rest': 6 });
    expect(spendSeries(many, 'tokens').series[0]?.key).toBe('m7');
  });

  it('keep names of strangers as keys apart from those of objects', () => {
    const { rows } = spendSeries([row('constructor', 2), row('__proto__x', 3)], 'cost');
    expect(rows[0]?.values).toEqual({ constructor: 2, __proto__x: 3 });
  });
});

it('the range of the URL ends now, and an unknown one counts as a week', () => {
  const { since, spanMs } = spanOf(readAiSearch({ range: 'for ever' }), at);
  expect(since).toBe('2026-11-21T00:00:00.000Z');
  expect(spanMs).toBe(7 * 86_400_000);
});

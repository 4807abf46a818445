import { describe, expect, it } from 'vitest';
import { costText, dollarText, shareText, unpricedCalls } from './money.ts';

it('dollars have as many digits as tell amounts apart', () => {
  expect([0, 0.0000012, 0.0042, 0.013, 0.25, 3.5, 12.345, 1_234.5].map(dollarText)).toEqual([
    '$0',
    '$0.0000012',
    '$0.0042',
    '$0.013',
    '$0.250',
    '$3.50',
    '$12.35',
    '$1,235',
  ]);
});

describe('a cost', () => {
  it('is at least the sum, where calls have no price', () => {
    expect(costText({ cost: 2, calls: 9 }, 3)).toBe('at least $2.00');
    expect(costText({ cost: 2, calls: 9 })).toBe('$2.00');
  });

  it('is no zero where no call has a price', () => {
    expect(costText({ cost: null, calls: 9 }, 9)).toBe('no price');
    expect(costText({ cost: null, calls: 0 })).toBe('–');
  });

  it('lacks the calls of models without a price', () => {
    const calls = (cost: number | null, count: number) => ({ cost, calls: count });
    expect(unpricedCalls([calls(null, 4), calls(1, 5), calls(null, 2)])).toBe(6);
  });
});

it('a share of nothing is none', () => {
  expect([shareText(1, 3), shareText(1, 100), shareText(0, 5), shareText(0, 0)]).toEqual(['33 %', '1.0 %', '0 %', '–']);
});

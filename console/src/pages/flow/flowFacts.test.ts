import { describe, expect, it } from 'vitest';
import { barsOf, fullestFirst, heldBack, shedRows, tightestFirst } from './flowFacts.ts';
import { openScope, readFlowSearch, withScope } from './flowSearch.ts';

it('the fullest scopes come first; of equally full ones, those in which more runs wait', () => {
  const scopes = [
    { inUse: 1, limit: 4, waiting: 9 },
    { inUse: 2, limit: 2, waiting: 1 },
    { inUse: 2, limit: 2, waiting: 5 },
    { inUse: 0, limit: 0, waiting: 0 },
  ];
  expect(fullestFirst(scopes).map(({ waiting }) => waiting)).toEqual([5, 1, 9, 0]);
});

describe('budgets', () => {
  const budget = { cost: null, tokens: 0, maxCost: null, maxTokens: null, paused: 0 };

  it('have a bar for each of their limits', () => {
    const bars = barsOf({ ...budget, cost: 2, maxCost: 5, tokens: 1_000, maxTokens: 4_000 });
    expect(bars.map(({ what, value, limit, format }) => [what, format(value), format(limit)])).toEqual([
      ['cost', '$2.00', '$5.00'],
      ['tokens', '1,000', '4,000'],
    ]);
  });

  it('come by the share that is spent of their tightest limit', () => {
    const half = { ...budget, tokens: 50, maxTokens: 100 };
    const most = { ...budget, cost: 1, maxCost: 100, tokens: 90, maxTokens: 100 };
    expect(tightestFirst([half, most])).toEqual([most, half]);
  });
});

it('workflows of which nothing was withheld are left out', () => {
  const none = { matched: 9, deduped: 0, skipped: 0, dropped: 0, debounced: 0, batched: 0 };
  const some = { ...none, skipped: 1, dropped: 2 };
  const gathered = { ...none, batched: 5 };
  expect(shedRows([none, gathered, some])).toEqual([some, gathered]);
});

it('the URL names the open scope, and closing it keeps the filters', () => {
  const search = readFlowSearch({ workflow: 'print', shed: '24h' });
  const open = withScope(search, { app: 'shop', workflow: 'print', key: 'berlin' });
  expect(openScope(open)).toEqual({ app: 'shop', workflow: 'print', key: 'berlin' });
  expect(openScope(withScope(open, { app: 'shop', workflow: 'print', key: null }))?.key).toBeNull();
  expect(withScope(open, undefined)).toEqual(search);
  expect(openScope(search)).toBeUndefined();
});

it('runs and starts that limits hold back are counted over all limits', () => {
  const state = {
    scopes: [{ waiting: 2 }, { waiting: 0 }],
    throttle: [{ delayed: 3 }],
    buffers: [{}],
    budgets: [{ paused: 4 }],
  };
  expect(heldBack(state)).toBe(10);
  expect(heldBack({ scopes: [], throttle: [], buffers: [], budgets: [] })).toBe(0);
});

import { describe, expect, it } from 'vitest';
import { aiCallsOf } from './aiBlock.ts';

describe('the calls of a step', () => {
  it('are summed, and those without a price are told', () => {
    const calls = [
      { model: 'small', tokensIn: 10, tokensOut: 2, cost: 0.5 },
      { model: 'small', tokensIn: 5 },
      { model: 'local', tokensOut: 1 },
    ];
    expect(aiCallsOf({ calls })).toEqual({ models: ['small', 'local'], calls: 3, tokens: 18, cost: 0.5, unpriced: 2 });
  });

  it('have no cost where none has a price', () => {
    expect(aiCallsOf({ calls: [{ model: 'local', tokensIn: 5 }] })).toMatchObject({ cost: null, unpriced: 1 });
  });

  it('may be one of the service, with its usage', () => {
    expect(aiCallsOf({ model: 'large', usage: { tokensIn: 7, tokensOut: 3, cost: 1 }, sends: [] })).toEqual({
      models: ['large'],
      calls: 1,
      tokens: 10,
      cost: 1,
      unpriced: 0,
    });
  });

  it('are none for other steps, and tell nothing in unknown forms', () => {
    expect([null, undefined, 7, 'x', []].map(aiCallsOf)).toEqual(Array(5).fill(undefined));
    expect(aiCallsOf({ calls: 'many', tokensIn: 'all' })).toMatchObject({ models: [], tokens: 0, cost: null });
  });
});

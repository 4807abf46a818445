import { describe, expect, it, test } from 'vitest';
import { noSpend, readUsage, withCalls } from '../../../src/engine/ai/index.ts';

const nothing = {
  model: undefined,
  tokensIn: undefined,
  tokensOut: undefined,
  cost: undefined,
  latencyMs: undefined,
  cacheHit: undefined,
};

describe('usage', () => {
  it('is read as it was reported', () => {
    const usage = { model: 'm-1', tokensIn: 3, tokensOut: 0, cost: 0.25, latencyMs: 12.5, cacheHit: false };
    expect(readUsage(usage)).toEqual(usage);
  });

  it('that is empty is a call without reported usage', () => {
    expect(readUsage({})).toEqual(nothing);
  });

  test.each([[null], [undefined], [[]], ['5'], [5], [true]])('%j is no report of a call', (value) => {
    expect(readUsage(value)).toBeUndefined();
  });

  test.each([
    ['tokensIn', -1],
    ['tokensIn', 1.5],
    ['tokensIn', '3'],
    ['tokensIn', null],
    ['tokensIn', 2 ** 53],
    ['tokensOut', Number.POSITIVE_INFINITY],
    ['tokensOut', Number.NaN],
    ['cost', -0.01],
    ['cost', Number.POSITIVE_INFINITY],
    ['cost', 1e300],
    ['cost', '1'],
    ['latencyMs', -5],
    ['latencyMs', 1e300],
    ['cacheHit', 1],
    ['model', ''],
    ['model', '  '],
    ['model', 7],
    ['model', 'm\u0000'],
    ['model', '\ud800'],
    ['model', 'm'.repeat(257)],
  ])('counts %s %j as not reported, and keeps the rest', (field, value) => {
    const whole = { model: 'm', tokensIn: 1, tokensOut: 2, cost: 3, latencyMs: 4, cacheHit: true };
    expect(readUsage({ ...whole, [field]: value })).toEqual({ ...whole, [field]: undefined });
  });

  it('is not read from a prototype', () => {
    expect(readUsage(JSON.parse('{"__proto__": {"tokensIn": 5}}'))).toEqual(nothing);
  });
});

describe('spend', () => {
  it('adds prices up as decimals', () => {
    const calls = Array.from({ length: 10 }, () => ({ tokensIn: 1, tokensOut: undefined, cost: 0.1 }));
    expect(withCalls(noSpend, calls)).toEqual({ tokens: 10, cost: 1 });
    expect(calls.reduce((spend, call) => withCalls(spend, [call]), noSpend)).toEqual({ tokens: 10, cost: 1 });
  });

  it('has no cost until a call was priced, not even zero', () => {
    const call = { tokensIn: 2, tokensOut: 3, cost: undefined };
    expect(withCalls(noSpend, [call])).toEqual({ tokens: 5, cost: undefined });
    expect(withCalls(noSpend, [call, { ...call, cost: 0 }])).toEqual({ tokens: 10, cost: 0 });
  });
});

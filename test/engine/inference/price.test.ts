import { describe, expect, test } from 'vitest';
import { costOf, parseInferRequest, priceOf, priceOfModel } from '../../../src/engine/inference/index.ts';

const price = { input: 3, output: 15 };
const other = { input: 1, output: 1 };

describe('the price of a model', () => {
  test('is found by the exact name before any prefix', () => {
    expect(priceOfModel('m-1', { 'm-*': other, 'm-1': price, '*': other })).toBe(price);
  });

  test('is found by the longest prefix', () => {
    expect(priceOfModel('m-1-mini', { '*': other, 'm-*': other, 'm-1-*': price })).toBe(price);
    expect(priceOfModel('m-1', { 'm-1*': price })).toBe(price);
  });

  test('is unknown without one that fits, also for names that every object has', () => {
    expect(priceOfModel('n', { 'm-*': price, m: price })).toBeUndefined();
    expect(priceOfModel('toString', { m: price })).toBeUndefined();
    expect(priceOfModel('m*', { 'm?': price })).toBeUndefined();
  });

  test('comes with the request first', () => {
    const { request } = parseInferRequest({ model: 'm', prompt: 'p', price });
    expect(priceOf(request, { m: other })).toEqual(price);
    expect(priceOf(parseInferRequest({ model: 'm', prompt: 'p' }).request, { m: other })).toBe(other);
  });
});

describe('the cost of a send', () => {
  test('counts tokens per million', () => {
    expect(costOf(price, { tokensIn: 1_000_000, tokensOut: 100_000 })).toBe(4.5);
  });

  test('counts cached tokens at their own price, and at that of input without one', () => {
    const usage = { tokensIn: 1_000, tokensOut: 0, cachedTokensIn: 600, cacheWriteTokensIn: 300 };
    expect(costOf(price, usage)).toBe(0.003);
    expect(costOf({ ...price, cacheRead: 0.3, cacheWrite: 3.75 }, usage)).toBe(0.001605);
  });

  test('is absent without a price or without tokens, and never zero instead', () => {
    expect(costOf(undefined, { tokensIn: 1 })).toBeUndefined();
    expect(costOf(price, {})).toBeUndefined();
    expect(costOf(price, { tokensOut: 0 })).toBe(0);
  });

  test('has no digits from binary fractions', () => {
    expect(costOf({ input: 0.1, output: 0.2 }, { tokensIn: 1_000_000, tokensOut: 1_000_000 })).toBe(0.3);
  });
});

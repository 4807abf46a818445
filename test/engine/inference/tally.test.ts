import { expect, test } from 'vitest';
import { InferenceTally, maxNames, otherName } from '../../../src/engine/inference/tally.ts';

test('the tally of model calls has at most fifty names, and counts all further ones together', () => {
  const tally = new InferenceTally();
  for (let n = 0; n < 60; n += 1) {
    for (const tokensOut of [1, undefined]) {
      tally.ended({ provider: `p${n}`, model: `m${n}`, outcome: 'answered', usage: { tokensIn: 2, tokensOut } });
    }
    tally.held(`p${n}`);
  }
  tally.ended({ provider: 'p0', model: 'm0', outcome: 'unknown', usage: {} });
  expect([tally.tokens.size, tally.sends.size, tally.holds.size]).toEqual(Array(3).fill(maxNames + 1));
  expect(tally.tokens.get('m0')).toEqual({ in: 4, out: 1 });
  expect(tally.tokens.get(otherName)).toEqual({ in: 40, out: 10 });
  expect(tally.sends.get('p0')).toEqual(
    new Map([
      ['answered', 2],
      ['unknown', 1],
    ]),
  );
  expect(tally.holds.get(otherName)).toBe(10);
});

import { describe, expect, it } from 'vitest';
import { ExactNumber, parseExact, printExact } from './exactJson.ts';

// Node 20 lacks the source text of the reviver.
const hasSource = 'rawJSON' in JSON;

describe('JSON of strangers', () => {
  it('keeps numbers to the digit, where the engine tells their text', () => {
    for (const source of ['1e400', '-0', '12345678901234567890', '1.50', '1E3']) {
      const [value] = parseExact(`[${source}]`) as unknown[];
      expect(value instanceof ExactNumber).toBe(hasSource);
      expect(String(value)).toBe(hasSource ? source : String(Number(source)));
      expect(printExact([value])).toBe(hasSource ? `[${source}]` : JSON.stringify([Number(source)]));
    }
  });

  it('reads plain numbers as numbers', () => {
    expect(parseExact('{"a": 1, "b": [2.5, -3], "c": "12345678901234567890"}')).toEqual({
      a: 1,
      b: [2.5, -3],
      c: '12345678901234567890',
    });
  });

  it('gives a key named __proto__ no power', () => {
    const value = parseExact('{"__proto__": {"isAdmin": true}}') as Record<string, unknown>;
    expect(value['isAdmin']).toBeUndefined();
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
  });
});

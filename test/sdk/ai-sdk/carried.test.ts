import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fromCarried, toCarried } from '../../../sdk/src/ai-sdk/carried.ts';
import { encodeJson } from '../../../sdk/src/json/encode.ts';

const replayed = (value: unknown): unknown => fromCarried(JSON.parse(encodeJson(toCarried(value)) ?? 'null'));

describe('a carried value', () => {
  test.each([
    ['a date', new Date('2030-01-01T00:00:00.001Z')],
    ['an invalid date', new Date(Number.NaN)],
    ['bytes', new Uint8Array([0, 1, 255])],
    ['a URL', new URL('https://example.com/a?b=c#d')],
    ['numbers that are not finite', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    ['an object with the field that marks a kind', { $holdfast: 'date', value: 'x', at: new Date(0) }],
    [
      'such an object inside of itself',
      { $holdfast: { $holdfast: 'url', value: 1 }, value: [{ $holdfast: 'no kind' }] },
    ],
    ['a key __proto__', JSON.parse('{"__proto__": {"a": 1}}')],
  ])('comes back as it was: %s', (_name, value) => {
    expect(replayed({ value })).toEqual({ value });
    expect(replayed(value)).toEqual(value);
  });

  it('takes the bytes of a view, and not its whole buffer', () => {
    expect(replayed(Buffer.from('abc').subarray(1))).toEqual(new Uint8Array([98, 99]));
    expect(replayed(new Uint8Array([1, 2]).buffer)).toEqual(new Uint8Array([1, 2]));
  });

  it('drops functions, and turns undefined into what JSON makes of it', () => {
    expect(replayed({ a: () => 1, b: undefined, c: [undefined] })).toEqual({ c: [null] });
  });

  it('leaves what JSON cannot carry to the recording, which names it', () => {
    expect(() => replayed({ a: new Map() })).toThrow('"a" is a Map');
  });

  it('comes back as it was, whatever it holds', () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.date(),
        fc.uint8Array(),
        fc.constantFrom(new URL('https://a.example/?b#c'), new URL('data:,x')),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('a', '$holdfast', 'value', '__proto__'), tie('value'), { noNullPrototype: true }),
      ),
    }));
    // JSON has no negative zero.
    const hasNoNegativeZero = (given: unknown): boolean => !/-0(?![.\d])/.test(fc.stringify(given));
    fc.assert(
      fc.property(value.filter(hasNoNegativeZero), (given) => {
        expect(replayed(given)).toEqual(given);
      }),
    );
  });
});

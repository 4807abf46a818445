import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasControlCharacter,
  hasUnsupportedCharacter,
  hasUnsupportedCharacterInJson,
  RawJson,
} from '../../../src/engine/json/index.ts';

const inJson = (text: string): boolean => hasUnsupportedCharacterInJson(RawJson.trusted(text));

describe('unsupported characters', () => {
  it.each(['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800', '\ud83d\ud83d\ude00'])('are found in %j', (text) => {
    expect(hasUnsupportedCharacter(text)).toBe(true);
    expect(hasControlCharacter(text)).toBe(true);
    expect(inJson(JSON.stringify(text))).toBe(true);
    expect(inJson(JSON.stringify({ deep: [{ [text]: 1 }] }))).toBe(true);
  });

  it.each(['', 'plain', 'Grüße 😀 \u{10ffff}', 'new\nline', '\u0001', '\uffff', '\\u0000', '\\\\ud800'])(
    'are not found in %j',
    (text) => {
      expect(hasUnsupportedCharacter(text)).toBe(false);
      expect(inJson(JSON.stringify(text))).toBe(false);
    },
  );

  it('are seen through escapes in upper and lower case, and a pair of escapes is a pair', () => {
    for (const text of [
      '"\\u0000"',
      '"\\uD800"',
      '"\\udBfF\\u0041"',
      '"\\uDC00"',
      '"\\ud800\\n"',
      '{"\\u0000":1}',
      '"\\ud800',
    ]) {
      expect(inJson(text)).toBe(true);
    }
    for (const text of ['"\\uD83D\\uDE00"', '"\\\\u0000"', '"\\\\\\\\ud800"', '"\\u0001"', '"\\"\\u00e9"', '12']) {
      expect(inJson(text)).toBe(false);
    }
  });

  it('are the same ones whether a string is written plainly or with escapes throughout', () => {
    const unit = fc.constantFrom('a', '\\', '"', 'u', '0', '\ud83d', '\ude00', '\0', '\n');
    const escaped = (text: string): string =>
      [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 8 }), (units) => {
        const text = units.join('');
        expect(inJson(JSON.stringify(text))).toBe(hasUnsupportedCharacter(text));
        expect(inJson(`"${escaped(text)}"`)).toBe(hasUnsupportedCharacter(text));
      }),
    );
  });

  it('include every control character in a name', () => {
    for (const code of [0x01, 0x09, 0x0a, 0x1f, 0x7f, 0x85, 0x9f]) {
      expect(hasControlCharacter(`a${String.fromCharCode(code)}`)).toBe(true);
    }
    expect(hasControlCharacter('order/created: Ümlaut 😀')).toBe(false);
  });
});

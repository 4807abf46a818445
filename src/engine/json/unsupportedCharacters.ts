import type { RawJson } from './rawJson.ts';

// With the `u` flag, a surrogate matches only if it is unpaired.
const unpairedSurrogate = /\p{Surrogate}/u;
const control = /\p{Control}/u;

/**
 * Whether a string has a character that no event may contain: U+0000, or half of a surrogate pair.
 */
export const hasUnsupportedCharacter = (text: string): boolean => text.includes('\0') || unpairedSurrogate.test(text);

/** Whether a string is unfit as a name: also because of any other control character. */
export const hasControlCharacter = (name: string): boolean => control.test(name) || unpairedSurrogate.test(name);

/** Whether a string or key in a JSON value has an unsupported character, escaped or not. */
export function hasUnsupportedCharacterInJson(raw: RawJson): boolean {
  return hasUnsupportedCharacter(raw.text) || hasUnsupportedEscape(raw.text);
}

/** Checks the `\uXXXX` escapes of valid JSON, the only other way to write these characters. */
function hasUnsupportedEscape(text: string): boolean {
  let at = text.indexOf('\\');
  while (at >= 0) {
    let next = at + 2;
    if (text[at + 1] === 'u') {
      const code = escapedCode(text, at);
      next = at + 6;
      if (code === 0 || isLow(code)) return true;
      if (isHigh(code)) {
        if (!text.startsWith('\\u', next) || !isLow(escapedCode(text, next))) return true;
        next += 6;
      }
    }
    at = text.indexOf('\\', next);
  }
  return false;
}

const escapedCode = (text: string, at: number): number => Number.parseInt(text.slice(at + 2, at + 6), 16);
const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

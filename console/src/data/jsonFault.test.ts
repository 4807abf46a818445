import { describe, expect, it } from 'vitest';
import { findFault } from './jsonFault.ts';

/** The fault as a person reads it. */
const told = (text: string): string | undefined => {
  const fault = findFault(text);
  return fault && `${fault.line}:${fault.column} ${fault.what}`;
};

describe('the first fault of a text', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', '2:9 a comma or } is missing'],
    ['[1 2]', '1:3 a comma or ] is missing'],
    ['{"a": 1,}', '1:9 the comma before } is one too many'],
    ['[1,\n]', '2:1 the comma before ] is one too many'],
    ['{a: 1}', '1:2 a key needs double quotes'],
    ["{'a': 1}", '1:2 a key needs double quotes'],
    ['{"a" 1}', '1:5 a colon is missing'],
    ['{"a": }', '1:7 the value of the key is missing'],
    ['{"a": , "b": 1}', '1:7 a value is missing before the comma'],
    ["['x']", '1:2 a string needs double quotes'],
    ['["x\n"]', '1:2 the string does not end on its line'],
    ['"x', '1:1 the string does not end on its line'],
    ['["a\\x"]', '1:4 \\x is no escape'],
    ['["\\u12"]', '1:3 \\u needs four hexadecimal digits'],
    ['["\t"]', '1:3 a string holds U+0009 as an escape only'],
    ['{"a": 01}', '1:7 “01” is no number of JSON'],
    ['[NaN]', '1:2 “NaN” is no value of JSON'],
    ['[\u00a0 1]', '1:2 U+00A0 stands where a value belongs'],
    ['// x', '1:1 JSON has no comments'],
    ['{"a": [1, 2}', '1:12 } stands where , or ] belongs'],
    ['{"a": {"b": 1}', '1:15 the closing } is missing'],
    ['1 2', '1:3 the text goes on after its value'],
    ['{"a": 1}}', '1:9 the text goes on after its value'],
  ])('%j is told by line and column', (text, expected) => {
    expect(told(text)).toBe(expected);
  });

  it('is absent in JSON, and where there is no text', () => {
    const texts = ['', ' \n', 'null', '-0', '1e400', '"\\u00e9\\n"', '[]', '{}', '[{"a":[],"b":{}},[1,-2.5e+3]]'];
    expect(texts.map(told)).toEqual(texts.map(() => undefined));
    expect(told(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeUndefined();
  });

  it('is there exactly where a parser fails, whatever is left out or put in', () => {
    const text = '{"a": [1, -2.5e3, true, "x\\n\\u0041"], "b": {"c": null}, "d": ""}';
    const parses = (each: string): boolean => {
      try {
        JSON.parse(each);
        return true;
      } catch {
        return false;
      }
    };
    for (let at = 0; at < text.length; at += 1)
      for (const put of ['', ',', '}', ']', '"', ':', '1', 'x', '\\', '\n', '[', '{', '-', '.', 'e'])
        for (const kept of [0, 1]) {
          const changed = text.slice(0, at) + put + text.slice(at + kept);
          expect([changed, findFault(changed) === undefined]).toEqual([changed, parses(changed)]);
        }
  });
});

import { describe, expect, it } from 'vitest';
import { cutLongStrings, indentJson, maxShownString } from './indentJson.ts';

describe('indenting', () => {
  it('breaks after commas and brackets', () => {
    expect(indentJson('{"a":1,"b":[true,null],"c":{},"d":[ ]}')).toBe(
      '{\n  "a": 1,\n  "b": [\n    true,\n    null\n  ],\n  "c": {},\n  "d": []\n}',
    );
  });

  it('keeps digits, the order of keys, and repeated keys', () => {
    const text = '{"z":1e400,"a":-0,"a":12345678901234567890,"0":1.50}';
    expect(indentJson(text).replace(/\s/g, '')).toBe(text);
  });

  it('leaves strings alone, with brackets, quotes and escapes in them', () => {
    const text = String.raw`{"a":"{[,:]}\"\\","b":"\u0000 x"}`;
    expect(indentJson(text)).toBe(String.raw`{
  "a": "{[,:]}\"\\",
  "b": "\u0000 x"
}`);
  });

  it('takes what is indented already, and what is not JSON', () => {
    const once = indentJson('{"a":[1,2]}');
    expect(indentJson(once)).toBe(once);
    expect(indentJson('"open')).toBe('"open');
    expect(indentJson('')).toBe('');
  });

  it('takes 500 levels and a single line of a megabyte', () => {
    expect(indentJson(`${'['.repeat(500)}1${']'.repeat(500)}`).split('\n')).toHaveLength(1001 - 2 + 2);
    expect(indentJson(JSON.stringify('x'.repeat(1_000_000)))).toHaveLength(1_000_002);
  });

  it('does not grow a thousandfold below 500 levels', () => {
    const text = `${'['.repeat(499)}${'1,'.repeat(100_000)}1${']'.repeat(499)}`;
    const indented = indentJson(text);
    expect(indented.length).toBeLessThan(20 * text.length);
    expect(indented.replace(/\s/g, '')).toBe(text);
  });
});

describe('strings that are too long to show', () => {
  it('are cut where they begin to be, with what is left out', () => {
    const long = 'x'.repeat(1_000_000);
    const { text, cuts } = cutLongStrings(`{"a":"${long}","b":1}`);
    expect(cuts).toBe(1);
    expect(text).toMatch(/^\{"a":"x+… 990002 more characters","b":1\}$/);
    expect(text.length).toBeLessThan(maxShownString + 100);
  });

  it('are cut without their end, too: the first part of a payload', () => {
    expect(cutLongStrings(`["${'x'.repeat(20_000)}`)).toMatchObject({ cuts: 1 });
  });

  it('leave all other text as it is', () => {
    const text = JSON.stringify({ a: 'b'.repeat(9_000), c: [1, 2, '"'] });
    expect(cutLongStrings(text)).toEqual({ text, cuts: 0 });
  });
});

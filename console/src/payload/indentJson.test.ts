import { describe, expect, it } from 'vitest';
import { indentJson } from './indentJson.ts';

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
});

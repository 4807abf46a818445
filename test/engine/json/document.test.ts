import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HoldfastError } from '../../../src/engine/errors.ts';
import { type PathSegment, readJson } from '../../../src/engine/json/index.ts';

const text = (source: string, ...path: PathSegment[]): string | undefined => readJson(source).raw(...path)?.text;

describe('a JSON document', () => {
  it('parses like JSON.parse', () => {
    expect(readJson(' {"a": [1, "x", null]} ').value).toEqual({ a: [1, 'x', null] });
  });

  it.each(['', ' ', '{', '[1,]', '{"a":1,}', '"\n"', 'nul', '01', '1 2', '\u{feff}{}', "{'a':1}", '["\u0000"]', 'NaN'])(
    'refuses %j as malformed without quoting it',
    (source) => {
      expect(() => readJson(source)).toThrow(new HoldfastError('invalid', 'malformed JSON'));
    },
  );

  it.each([
    '1e400',
    '-0',
    '12345678901234567890',
    '1.10',
    '-1E+2',
    '"\\u0041\\u0000\\ud800"',
    '"\\/"',
    'null',
    '{ "a" : 1 }',
  ])('hands out %s as it was written', (source) => {
    expect(text(`{"other":[1,{}], "data" :\t${source}\n, "z":1}`, 'data')).toBe(source);
    expect(text(`[ 0 , ${source} ]`, 1)).toBe(source);
    expect(text(`\n${source} `)).toBe(source);
  });

  it('keeps a __proto__ key as a member of its own', () => {
    const document = readJson('{"data":{"__proto__":{"a":1},"constructor":2}}');
    expect(document.raw('data')?.text).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(document.raw('data', '__proto__', 'a')?.text).toBe('1');
    expect(document.raw('data', 'toString')).toBeUndefined();
    expect(Object.keys(document.value as object)).toEqual(['data']);
    expect(Object.getPrototypeOf((document.value as { data: object }).data)).toBe(Object.prototype);
  });

  it('lets the last of equal keys win, as JSON.parse does', () => {
    expect(text('{"a":1,"b":2,"\\u0061":3.0}', 'a')).toBe('3.0');
  });

  it('finds keys that are written with escapes', () => {
    expect(text('{"\\u0061\\"\\\\":1,"plain\\n":[2]}', 'a"\\')).toBe('1');
    expect(text('{"a\\"}\\\\":1,"plain\\n":[2]}', 'plain\n', 0)).toBe('2');
    expect(text('{"":7}', '')).toBe('7');
  });

  it('answers undefined where a path leads nowhere', () => {
    const source = '{"a":[1,{"b":2}],"s":"x"}';
    for (const path of [['x'], ['a', 2], ['a', -1], ['a', 'length'], ['a', 0, 'b'], ['s', 0], [0]]) {
      expect(text(source, ...path)).toBeUndefined();
    }
    expect(text('{}', 'a')).toBeUndefined();
    expect(text('[ ]', 0)).toBeUndefined();
  });

  it('steps over strings of any length and any run of backslashes and brackets', () => {
    for (let length = 0; length < 60; length++) {
      for (const tail of ['', '\\"', '\\\\', '\\\\\\"', '}]', '\\\\\\\\']) {
        const string = `"${'x'.repeat(length)}${tail}"`;
        expect(text(`{"a":${string},"b":[${string},1]}`, 'b', 1)).toBe('1');
      }
    }
  });

  it('refuses nesting beyond the limit by its name and accepts nesting up to it', () => {
    const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(readJson(nested(500), { maxDepth: 500 }).raw(0, 'a', 0, 'a')).toBeDefined();
    expect(() => readJson(nested(502), { maxDepth: 500 })).toThrow(
      new HoldfastError('invalid', 'JSON is nested deeper than 500 levels'),
    );
    expect(() => readJson(`{"a":"]]","b":${nested(500)}}`, { maxDepth: 500 })).toThrow(/500/);
    expect(() => readJson('['.repeat(1_000_000), { maxDepth: 500 })).toThrow(/500/);
    expect(readJson(`["${'['.repeat(1000)}\\"${'{'.repeat(1000)}"]`, { maxDepth: 1 }).value).toHaveLength(1);
  });

  it('does not overflow on nesting that no limit forbids', () => {
    const source = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    expect(text(`{"a":${source}}`, 'a')).toBe(source);
  });

  it('gives every member of any value a slice that parses to the same value', () => {
    const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 5 }), space, (value, indent) => {
        const source = `${indent}${JSON.stringify(value, null, indent)}${indent}`;
        const document = readJson(source);
        const visit = (part: unknown, path: PathSegment[]): void => {
          expect(JSON.parse(document.raw(...path)?.text ?? '')).toEqual(part);
          if (Array.isArray(part)) for (const [index, each] of part.entries()) visit(each, [...path, index]);
          else if (part !== null && typeof part === 'object') {
            for (const key of Object.keys(part))
              visit(Object.entries(part).find(([k]) => k === key)?.[1], [...path, key]);
          }
        };
        visit(document.value, []);
      }),
    );
  });

  it('refuses exactly what JSON.parse refuses', () => {
    const accepts = (read: () => unknown): boolean => {
      try {
        read();
        return true;
      } catch {
        return false;
      }
    };
    const fragment = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '1', '\\', ' ', 'true');
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), (parts) => {
        const source = parts.join('');
        expect(accepts(() => readJson(source, { maxDepth: 100 }).raw())).toBe(accepts(() => JSON.parse(source)));
      }),
    );
  });
});

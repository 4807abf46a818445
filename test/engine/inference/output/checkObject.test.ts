import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkObject, checkToolInputs, type Json, type ToolCall } from '../../../../src/engine/inference/index.ts';
import { linearPattern } from '../../../../src/engine/inference/output/linearPattern.ts';
import { schemaProblem } from '../../../../src/engine/inference/output/schemaShape.ts';

const check = (schema: { [key: string]: Json } | boolean, value: Json) => checkObject(schema, JSON.stringify(value));
const fits = (schema: { [key: string]: Json } | boolean, value: Json): boolean => check(schema, value).fits;
const problems = (schema: { [key: string]: Json }, value: Json) => {
  const checked = check(schema, value);
  return checked.fits ? [] : checked.problems.map(({ path, keyword }) => `${path} ${keyword}`);
};

/** Runs in less time than a stalled check would take. */
function quickly<T>(work: () => T): T {
  const start = performance.now();
  const result = work();
  expect(performance.now() - start).toBeLessThan(5_000);
  return result;
}

describe('an answer', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  };

  test('fits its schema', () => {
    expect(check(person, { name: 'Ada', age: 36 })).toEqual({
      fits: true,
      object: { name: 'Ada', age: 36 },
      skipped: [],
    });
  });

  test('has its problems by path and keyword', () => {
    expect(problems(person, { name: '', age: 1.5, more: 1 })).toEqual([
      '/name minLength',
      '/age type',
      ' additionalProperties',
    ]);
    expect(problems({ type: 'array', items: person }, [{ name: 'Ada' }])).toEqual(['/0 required']);
  });

  test('has at most ten problems', () => {
    const list = { type: 'array', items: { type: 'string' } };
    const many = Array.from({ length: 300_000 }, (_, i) => i);
    expect(problems(list, many)[0]).toBe('/0 type');
    expect(problems({ allOf: [list] }, many)).toEqual(['/0 type']);
    expect(
      problems(
        list,
        Array.from({ length: 50 }, (_, i) => i),
      ),
    ).toHaveLength(10);
  });

  test('may stand in a block of code', () => {
    const text = 'Here you are:\n```json\n{"name": "Ada", "age": 36}\n```\nAnything else?';
    expect(checkObject(person, text)).toMatchObject({ fits: true, object: { name: 'Ada' } });
  });

  test.each(['', 'Sorry, no.', '{"name": "Ada"', '```\n', `${'['.repeat(100_000)}`])('is no JSON: %s', (text) => {
    expect(checkObject(person, text)).toMatchObject({ fits: false, problems: [{ path: '', keyword: 'json' }] });
  });

  test('fits the schemas that zod makes', () => {
    const schema = z.object({
      mail: z.email(),
      id: z.uuid(),
      at: z.iso.datetime(),
      kind: z.enum(['a', 'b']).nullable(),
      tags: z.record(z.string(), z.number()),
    });
    const json: { [key: string]: Json } = JSON.parse(JSON.stringify(z.toJSONSchema(schema)));
    const value = {
      mail: 'ada@example.com',
      id: '9b2d0f1e-5c4a-4b6e-8f7a-1c2d3e4f5a6b',
      at: '2026-01-01T00:00:00Z',
      kind: null,
      tags: { a: 1 },
    };
    expect(check(json, value)).toEqual({ fits: true, object: value, skipped: [] });
    expect(problems(json, { ...value, mail: '.ada@example..com' })).toContain('/mail pattern');
    expect(problems(json, { ...value, tags: { a: 'x' } })).toEqual(['/tags/a type']);
  });

  test('fits a schema that refers to itself', () => {
    const tree = {
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      $ref: '#/$defs/node',
    };
    expect(fits(tree, { next: { next: {} } })).toBe(true);
    expect(problems(tree, { next: { next: 1 } })).toEqual(['/next/next type']);
  });

  test('may have names that objects have already', () => {
    const schema = {
      properties: { constructor: { type: 'string' }, $ref: { type: 'string' }, pattern: { type: 'string' } },
    };
    expect(fits(schema, { constructor: 'a', $ref: 'b', pattern: 'c' })).toBe(true);
    expect(checkObject(schema, '{"__proto__": 1, "constructor": 2}').fits).toBe(false);
  });
});

describe('a pattern', () => {
  test('that would take exponential time does not', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    expect(quickly(() => fits(schema, `${'a'.repeat(100_000)}!`))).toBe(false);
    expect(quickly(() => fits(schema, 'a'.repeat(100_000)))).toBe(true);
    expect(problems(schema, 'b')).toEqual([' pattern']);
  });

  test('of properties that would take exponential time does not', () => {
    const schema = { patternProperties: { '^(a+)+$': { type: 'number' } }, additionalProperties: false };
    expect(fits(schema, { aaa: 1 })).toBe(true);
    expect(problems(schema, { aaa: 'x' })).toEqual(['/aaa type']);
    expect(quickly(() => problems(schema, { [`${'a'.repeat(50_000)}!`]: 1 }))).toEqual([' additionalProperties']);
  });

  test('of properties may be one of several for a name', () => {
    const schema = { patternProperties: { '^a': { type: 'number' }, b$: { minimum: 5 }, '[.]': true } };
    expect(problems(schema, { ab: 1, a: 'x', b: 7, 'a.b': 6 })).toEqual(['/a type', '/ab minimum']);
  });

  test('that looks ahead at its beginning runs', () => {
    const run = linearPattern('^(?!\\.)(?=.*@)(?!.*\\.\\.)[a-z.@()|]+$');
    expect(['a@b', '.a@b', 'ab', 'a..@b', 'a@B'].map((text) => run?.(text))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test.each(['(?<=a)b', '(a)\\1', 'a(?!b)', '^(?!a)b|c', '('])(
    'that cannot run is skipped, and named: %s',
    (pattern) => {
      expect(check({ pattern }, 'x')).toEqual({ fits: true, object: 'x', skipped: [pattern] });
      expect(check({ patternProperties: { [pattern]: false }, additionalProperties: false }, { x: 1 })).toMatchObject({
        fits: true,
        skipped: [pattern],
      });
    },
  );

  test('that takes too long on a long text ends the check, and works afterwards', () => {
    const pattern = `${'(a|b|ab)*'.repeat(60)}c$`;
    const text = 'ab'.repeat(2_000_000);
    expect(quickly(() => check({ pattern }, text)).fits).toBe(false);
    expect(fits({ pattern }, 'abc')).toBe(true);
    expect(fits({ pattern }, 'abd')).toBe(false);
  });

  test('has the escapes of JavaScript', () => {
    expect(fits({ pattern: '^\\u0041\\u{42}\\/\\-\\d$' }, 'AB/-1')).toBe(true);
  });
});

describe('a check ends although the schema', () => {
  test('doubles its work with each step', () => {
    const steps = Array.from({ length: 40 }, (_, i) => [
      `d${i}`,
      { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]);
    const schema = { $defs: { ...Object.fromEntries(steps), d40: {} }, $ref: '#/$defs/d0' };
    expect(quickly(() => problems(schema, 1))).toEqual([' schema']);
  });

  test('compares each item with each other', () => {
    const items = Array.from({ length: 200_000 }, (_, i) => [i]);
    expect(quickly(() => problems({ uniqueItems: true }, items))).toEqual([' schema']);
  });

  test('refers to itself without end, or to nothing', () => {
    expect(problems({ $ref: '#' }, 1)).toEqual([' schema']);
    expect(problems({ $ref: '#/$defs/none' }, 1)).toEqual([' schema']);
  });

  test('has another one after it', () => {
    expect(fits({ type: 'number' }, 1)).toBe(true);
  });
});

describe('a schema is refused', () => {
  test.each([
    [{ $ref: 'https://example.com/schema.json' }, 'refers to another document at #'],
    [{ properties: { a: { $ref: 'other.json#/b' } } }, 'refers to another document at #/properties/a'],
    [{ description: 'x'.repeat(65_536) }, 'is larger than 65536 bytes'],
    [{ $ref: '#/$defs/none' }, 'refers to a part that it does not have'],
    [{ $ref: '#none' }, 'refers to a part that it does not have'],
    [{ $id: 'http://[' }, 'has a malformed or repeated $id, $anchor or $ref'],
    [{ anyOf: {} }, 'has a malformed anyOf at #'],
    [{ type: 'objet' }, 'has a malformed type at #'],
    [{ items: { type: ['string', 'nil'] } }, 'has a malformed type at #/items'],
    [{ items: { required: 'name' } }, 'has a malformed required at #/items'],
  ])('%#', (schema, problem) => {
    expect(schemaProblem(schema)).toBe(problem);
  });

  test('not for what only looks like a keyword', () => {
    expect(
      schemaProblem({ properties: { $ref: { type: 'string' } }, const: { $ref: 'a' }, enum: [{ anyOf: 1 }] }),
    ).toBe(undefined);
    expect(schemaProblem(true)).toBe(undefined);
  });
});

test('inputs of very many calls are checked for a bounded time', () => {
  const properties = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`name${i}`, { type: 'string' }]));
  const tools = [{ name: 'weather', inputSchema: { type: 'object', properties } }];
  const calls = Array.from({ length: 30_000 }, (_, i) => ({ id: `${i}`, name: 'weather', input: {} }));
  expect(quickly(() => checkToolInputs(tools, calls))).toHaveLength(30_000);
});

test('inputs of tools that do not fit are marked, and handed over', () => {
  const tools = [{ name: 'weather', inputSchema: { type: 'object', required: ['city'] } }];
  const calls: ToolCall[] = [
    { id: '1', name: 'weather', input: { city: 'Oslo' } },
    { id: '2', name: 'weather', input: {} },
    { id: '3', name: 'unknown', input: {} },
  ];
  expect(checkToolInputs(tools, calls)).toEqual([
    calls[0],
    { ...calls[1], invalid: '/ (required): Instance does not have required property "city".' },
    calls[2],
  ]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGuard, digestOf, valueAtPath } from '../../../src/engine/cel/index.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';

const { limits } = defaultEngineSettings;
const equality = (source: string): unknown => compileGuard(source, limits).equality();

describe('the equality that a guard demands', () => {
  it.each([
    ['data.a == "x"', { path: 'a', value: 'x' }],
    ['event.data.a.b == 1', { path: 'a.b', value: 1 }],
    ['"x" == data.a.b', { path: 'a.b', value: 'x' }],
    ['data["a"]["b c"] == 2.5', { path: 'a.b c', value: 2.5 }],
    ['data.a == -1', { path: 'a', value: -1 }],
    ['data.a == true', { path: 'a', value: true }],
    ['event.name == "n" && (data.n > 1 && data.a == "x")', { path: 'a', value: 'x' }],
    ['data.ok == true && data.number == 7 && data.x == "y"', { path: 'number', value: 7 }],
    ['(data.a == "x" || data.b) && data.c == "z"', { path: 'c', value: 'z' }],
  ])('of %s', (source, expected) => {
    expect(equality(source)).toEqual(expected);
  });

  it.each([
    'data.a == "x" || data.b == "y"',
    '!(data.a == "x")',
    'data.a != "x"',
    'data.a == data.b',
    'data.a == null',
    'data == "x"',
    'event.name == "x"',
    'data.list[0] == "x"',
    'data["a.b"] == "x"',
    'data[""] == "x"',
    'data["\\u0000"] == "x"',
    'data["\\x00"] == "x"',
    'data.a == "x" ? true : true',
    'data.list.exists(data, data.a == "x")',
    'data.a == ["x"]',
    '"x" in data.a',
    'true',
  ])('is none of %s', (source) => {
    expect(equality(source)).toBeUndefined();
  });

  it('has the same digest as every payload value that passes, and only then an index may miss nothing', () => {
    const scalar = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constantFrom(0, -0, 1, 1.5, '1', 'true', 2 ** 53),
    );
    const literal = (value: unknown): string => {
      if (typeof value === 'number' && !Number.isInteger(value)) return value.toFixed(20).slice(0, 40);
      if (typeof value === 'number') return Math.abs(value) < 1e15 ? `${value + 0}` : '0';
      return JSON.stringify(value).replace(/[\u007f-\uffff]/g, 'x');
    };
    fc.assert(
      fc.property(scalar, scalar, fc.boolean(), (wanted, other, same) => {
        const guard = compileGuard(`data.a == ${literal(wanted)}`, limits);
        const found = guard.equality();
        const data = JSON.parse(JSON.stringify({ a: same ? found?.value : other }));
        const event = { id: '', name: '', ts: '', tags: undefined, session: undefined, data };
        if (guard.evaluate(event)) expect(digestOf(valueAtPath(data, 'a'))).toBe(digestOf(found?.value));
        if (same && found) expect(guard.evaluate(event)).toBe(true);
      }),
    );
  });
});

describe('a match value', () => {
  it('canonicalises numbers and keeps types apart', () => {
    expect(digestOf(1)).toBe(digestOf(1n));
    expect(digestOf(1.0)).toBe('n:1');
    expect(digestOf(-0)).toBe(digestOf(0));
    expect(digestOf(Number.POSITIVE_INFINITY)).toBe('n:Infinity');
    expect(new Set([digestOf('1'), digestOf(1), digestOf(true), digestOf('true'), digestOf('n:1')]).size).toBe(5);
  });

  it('is short, and text that PostgreSQL takes, for any string', () => {
    expect(digestOf('x'.repeat(64))).toBe(`s:${'x'.repeat(64)}`);
    expect(digestOf('x'.repeat(65))).toMatch(/^h:[0-9a-f]{64}$/);
    expect(digestOf('a\0b')).toMatch(/^h:/);
    expect(digestOf('\ud800')).toMatch(/^h:/);
    expect(digestOf('a\0b')).not.toBe(digestOf('a\0c'));
  });

  it('is none for null, lists and objects', () => {
    for (const value of [null, undefined, [], ['x'], {}]) expect(digestOf(value)).toBeUndefined();
  });

  it('is found by own keys only', () => {
    const data = JSON.parse('{"a":{"b":[1],"__proto__":2,"constructor":{"name":3}},"":{"":4}}');
    expect(valueAtPath(data, 'a.__proto__')).toBe(2);
    expect(valueAtPath(data, 'a.constructor.name')).toBe(3);
    expect(valueAtPath(data, '.')).toBe(4);
    for (const path of ['toString', 'a.b.0', 'a.b.length', 'a.x.y', 'a.b.0.c'])
      expect(valueAtPath(data, path)).toBeUndefined();
    expect(valueAtPath('text', 'length')).toBeUndefined();
    expect(valueAtPath(undefined, 'a')).toBeUndefined();
  });
});

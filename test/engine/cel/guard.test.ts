import { describe, expect, it } from 'vitest';
import { compileGuard } from '../../../src/engine/cel/index.ts';
import { HoldfastError } from '../../../src/engine/errors.ts';
import { defaultEngineSettings } from '../../../src/engine/settings.ts';
import { event, holding, notHolding } from './examples.ts';

const { limits } = defaultEngineSettings;

const holds = (source: string, data: unknown = event.data): boolean =>
  compileGuard(source, limits).evaluate({ ...event, data });

describe('a CEL guard', () => {
  it.each(holding)('holds: %s', (source) => {
    expect(holds(source)).toBe(true);
  });

  it.each(notHolding)('is false, and throws nothing: %s', (source) => {
    let compiled: ReturnType<typeof compileGuard> | undefined;
    try {
      compiled = compileGuard(source, limits);
    } catch (error) {
      expect(error).toBeInstanceOf(HoldfastError);
      return;
    }
    expect(compiled.evaluate(event)).toBe(false);
  });

  it('sees an absent payload as null', () => {
    expect(compileGuard('data == null', limits).evaluate({ ...event, data: undefined })).toBe(true);
    expect(compileGuard('has(data.x)', limits).evaluate({ ...event, data: undefined })).toBe(false);
    expect(compileGuard('data.x == 1', limits).evaluate({ ...event, data: undefined })).toBe(false);
    expect(compileGuard('has(event.data)', limits).evaluate({ ...event, data: undefined })).toBe(false);
  });

  it.each([null, 7, 'text', true, [1, [2]], []])('takes %j as a payload', (data) => {
    expect(holds('data == data', data)).toBe(true);
    expect(holds('data.x == 1', data)).toBe(false);
  });

  it("reads keys of the payload only, never the prototype's", () => {
    const data = JSON.parse(
      '{"__proto__":{"a":1},"constructor":"c","toString":{"constructor":{"name":"n"}},"list":[{"constructor":1}]}',
    );
    expect(holds('data["__proto__"].a == 1', data)).toBe(true);
    expect(holds('data.constructor == "c" && data.toString.constructor.name == "n"', data)).toBe(true);
    expect(holds('data.list[0].constructor == 1 && size(data) == 4 && "constructor" in data', data)).toBe(true);
    expect(holds('data.list.exists(x, x.constructor == 1) && data.exists(k, k == "constructor")', data)).toBe(true);
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'get', 'size']) {
      expect(holds(`has(data.${key})`.replace('has(data.__proto__)', '"__proto__" in data'), {})).toBe(false);
      expect(holds(`"${key}" in data`, {})).toBe(false);
      expect(holds(`data["${key}"] == data["${key}"]`, {})).toBe(false);
      expect(holds(`data.list["${key}"] == data.list["${key}"]`, { list: [1] })).toBe(false);
    }
  });

  it.each([
    ['', /does not parse/],
    ['data.a ==', /does not parse: .* at character 10/],
    ['data.a = 1', /does not parse/],
    ['nope.a == 1', /not valid: Unknown variable: nope/],
    ['fetch("x") == 1', /not valid: .*fetch/],
    ['eq_(1, 1)', /not valid: .*eq_/],
    ['range_(data.list, 0).all(x, true)', /not valid: .*range_/],
    ['1 + 1', /must be a condition, not of type int/],
    ['"text"', /must be a condition/],
    ['1 == "a"', /not valid/],
    ['data.a.matches("(")', /bad pattern/],
    ['data.a.matches("(?=x)")', /bad pattern/],
    ['matches(data.a, "(a{900}){1}b{900}")', /bad pattern: .*500 instructions/],
    ['data.a.matches("a{1000}b{1000}c{1000}")', /bad pattern: .*500 instructions/],
    [
      'data.a.matches("a{490}") || data.a.matches("b{490}") || data.a.matches("c{490}")',
      /patterns that compile to more than 1000 instructions together/,
    ],
    ['data.a.exists(x, data.b.exists(y, data.c.exists(z, true)))', /nests macros deeper than 2/],
    ['data.a.map(x, data.b.filter(y, data.c.all(z, true))) == []', /nests macros deeper than 2/],
    [`data.a == "${'x'.repeat(2000)}"`, /longer than 2000 characters/],
    ['data.a == "\0"', /unsupported character/],
    ['data.a == "\ud800"', /unsupported character/],
    ['\0', /unsupported character/],
    ['data.\ud800 == 1', /unsupported character/],
    [`[${'1,'.repeat(600)}] == data`, /more than 500 nodes/],
    [`${'('.repeat(30)}true${')'.repeat(30)}`, /nested deeper than 20 levels/],
    [`data${'.a'.repeat(25)} == 1`, /nested deeper than 20 levels/],
    [`${'!'.repeat(1990)}true`, /more than 500 nodes|cannot be parsed/],
    [`${'-'.repeat(1990)}1 == 1`, /more than 500 nodes|cannot be parsed/],
  ])('is refused with a reason: %j', (source, reason) => {
    expect(() => compileGuard(source, limits)).toThrow(reason);
    expect(() => compileGuard(source, limits)).toThrow(HoldfastError);
  });

  it('may use all that the ceilings allow', () => {
    expect(holds(`data.a == "${'x'.repeat(1980)}"`, { a: 'x'.repeat(1980) })).toBe(true);
    expect(holds(Array(100).fill('data.a == 1').join(' && '), { a: 1 })).toBe(true);
    expect(holds(Array(100).fill('data.a == 2').join(' || '), { a: 1 })).toBe(false);
    expect(holds(`${'('.repeat(18)}true${')'.repeat(18)}`)).toBe(true);
    expect(holds(`${'!'.repeat(498)}true`)).toBe(true);
    expect(holds(`${'1 + '.repeat(240)}1 == 241`)).toBe(true);
    expect(holds('data.filter(x, x > 1).map(x, x * 2).exists(x, data.all(y, y < x))', [1, 2, 3])).toBe(true);
  });

  it('sees at most ten levels of lists within lists', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(holds('size(data) == 1', nested(10))).toBe(true);
    expect(holds('size(data) == 1', nested(11))).toBe(false);
    expect(holds('data.a.b == 1', { a: { b: 1, deep: nested(400) } })).toBe(true);
  });
});

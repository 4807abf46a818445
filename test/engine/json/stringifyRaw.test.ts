import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawJson, readJson, stringifyRaw } from '../../../src/engine/json/index.ts';

describe('stringifyRaw', () => {
  it('writes plain data as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(stringifyRaw(value)).toBe(JSON.stringify(value));
      }),
    );
    const odd = {
      a: undefined,
      b: [undefined, () => 1],
      c: new Date(0),
      d: Number.NaN,
      e: -0,
      f: Symbol('x'),
      '\ud800': '\ud800',
    };
    expect(stringifyRaw(odd)).toBe(JSON.stringify(odd));
    expect(stringifyRaw({ last: undefined })).toBe('{}');
    expect(stringifyRaw(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
  });

  it.each(['1e400', '-0', '12345678901234567890', '{"__proto__":{"a":1},"a":1,"a":2}', '"\\u0000\\ud800"', ' [ 1 ] '])(
    'splices %s in verbatim wherever it stands',
    (source) => {
      const raw = RawJson.trusted(source);
      expect(stringifyRaw(raw)).toBe(source);
      expect(stringifyRaw({ data: raw, list: [raw, { deep: raw }] })).toBe(
        `{"data":${source},"list":[${source},{"deep":${source}}]}`,
      );
    },
  );

  it('cannot be made to splice by data that looks like raw JSON', () => {
    expect(stringifyRaw({ text: '1', RawJson: true })).toBe('{"text":"1","RawJson":true}');
    expect(stringifyRaw(JSON.parse('{"__proto__":{"text":"1"}}'))).toBe('{"__proto__":{"text":"1"}}');
  });

  it('follows toJSON, holes and undefined beside raw parts too', () => {
    const raw = RawJson.trusted('1e400');
    const own = { toJSON: () => ({ raw, at: new Date(0) }) };
    expect(stringifyRaw(own)).toBe('{"raw":1e400,"at":"1970-01-01T00:00:00.000Z"}');
    const holes: unknown[] = [raw];
    holes[3] = undefined;
    expect(stringifyRaw({ own, holes, gone: undefined })).toBe(
      '{"own":{"raw":1e400,"at":"1970-01-01T00:00:00.000Z"},"holes":[1e400,null,null,null]}',
    );
  });

  it('writes raw parts in the order of the text, also of a toJSON that encodes by itself', () => {
    const [first, second, third] = ['1.0', '2.0', '3.0'].map((text) => RawJson.trusted(text));
    const nested = { toJSON: () => ({ text: stringifyRaw([second]), third }) };
    expect(stringifyRaw([first, nested, second])).toBe('[1.0,{"text":"[2.0]","third":3.0},2.0]');
  });

  it('encodes on after a value that cannot be encoded', () => {
    const raw = RawJson.trusted('1.0');
    expect(() => stringifyRaw([raw, 1n])).toThrow(TypeError);
    expect(JSON.stringify(raw)).toBe('{"text":"1.0"}');
    expect(stringifyRaw([raw])).toBe('[1.0]');
  });

  it('returns text that was sliced from a document', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const document = readJson(JSON.stringify(value, null, 1));
        const members = Object.keys(value).map((key) => [key, document.raw(key)]);
        expect(JSON.parse(stringifyRaw(members))).toEqual(JSON.parse(JSON.stringify(Object.entries(value))));
      }),
    );
  });

  it('refuses values that JSON cannot express, and cycles, without a stack overflow', () => {
    const cycle: unknown[] = [];
    cycle.push({ cycle });
    expect(() => stringifyRaw(undefined)).toThrow(TypeError);
    expect(() => stringifyRaw({ a: 1n })).toThrow(TypeError);
    expect(() => stringifyRaw(cycle)).toThrow(TypeError);
    let deep: unknown = RawJson.trusted('1');
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(() => stringifyRaw(deep)).toThrow(TypeError);
    expect(stringifyRaw(JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`))).toHaveLength(1000);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorParts, decodeCursor, encodeCursor, optionalPart, pageSize } from '../../../src/engine/paging/index.ts';

const { id, text, int, bigint, instant } = cursorParts;
const shape = [text, int] as const;
const values = fc.tuple(
  fc.string({ unit: fc.integer({ min: 1, max: 0x7f }).map((code) => String.fromCodePoint(code)) }),
  fc.integer(),
);

describe('cursors', () => {
  it('return the values that they were made of', () => {
    fc.assert(
      fc.property(values, (position) => {
        expect(decodeCursor('list.asc', encodeCursor('list.asc', position), shape)).toEqual(position);
      }),
    );
  });

  it('need no escaping in a URL or a header', () => {
    fc.assert(fc.property(values, (position) => /^[\w-]+$/.test(encodeCursor('list.asc', position))));
  });

  it('are refused under another order', () => {
    fc.assert(
      fc.property(values, (position) => {
        expect(() => decodeCursor('list.desc', encodeCursor('list.asc', position), shape)).toThrow(/cursor/);
      }),
    );
  });

  it('are refused when a character is changed, missing or too many', () => {
    const replaced = fc.constantFrom(...'AZaz09-_. =');
    fc.assert(
      fc.property(values, fc.nat(), replaced, (position, at, character) => {
        const cursor = encodeCursor('list.asc', position);
        const index = at % cursor.length;
        const variants = [
          cursor.slice(0, index) + character + cursor.slice(index + 1),
          cursor.slice(0, index) + cursor.slice(index + 1),
          cursor.slice(0, index) + character + cursor.slice(index),
        ];
        for (const variant of variants.filter((each) => each !== cursor)) {
          expect(() => decodeCursor('list.asc', variant, shape)).toThrow(/cursor/);
        }
      }),
    );
  });

  it('with a right checksum are refused unless each value has its type and range', () => {
    const wrong: [readonly unknown[] | unknown, readonly (typeof text | typeof int)[]][] = [
      [{}, [text]],
      ['x', [text]],
      [[], [text]],
      [['x', 'y'], [text]],
      [[1], [text]],
      [['\0'], [text]],
      [['\ud800'], [text]],
      [['x'], [int]],
      [[2 ** 31], [int]],
      [[0.5], [int]],
      [[2 ** 53], [bigint]],
      [[-1], [instant]],
      [[1e15], [instant]],
      [[[]], [int]],
      [[null], [text]],
      [['x'], [id]],
    ];
    const forge = encodeCursor as (order: string, values: unknown) => string;
    for (const [position, parts] of wrong)
      expect(() => decodeCursor('list', forge('list', position), parts), JSON.stringify(position)).toThrow(/cursor/);
    const last = [text, optionalPart(bigint)] as const;
    expect(decodeCursor('list', encodeCursor('list', ['x']), last)).toEqual(['x']);
    expect(decodeCursor('list', encodeCursor('list', ['x', 1]), last)).toEqual(['x', 1]);
    expect(() => decodeCursor('list', encodeCursor('list', ['x', 'y']), last)).toThrow(/cursor/);
  });

  it.each(['', 'x', 'null', 'e30', 'x'.repeat(10_000)])('%j is none', (cursor) => {
    expect(() => decodeCursor('list.asc', cursor, shape)).toThrow(/cursor/);
  });
});

describe('page sizes', () => {
  const sizes = { default: 30, max: 200 };

  it('have a default and a ceiling', () => {
    expect(pageSize(undefined, 'limit', sizes)).toBe(30);
    expect(pageSize(null, 'limit', sizes)).toBe(30);
    expect(pageSize(7, 'limit', sizes)).toBe(7);
    expect(pageSize(201, 'limit', sizes)).toBe(200);
  });

  it.each([0, -1, 1.5, Number.NaN])('%d is refused', (asked) => {
    expect(() => pageSize(asked, 'limit', sizes)).toThrow('limit must be an integer of at least 1');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, pageSize } from '../../../src/engine/paging/index.ts';

const values = fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 4 });

describe('cursors', () => {
  it('return the values that they were made of', () => {
    fc.assert(
      fc.property(values, (position) => {
        expect(decodeCursor('list.asc', encodeCursor('list.asc', position))).toEqual(position);
      }),
    );
  });

  it('need no escaping in a URL or a header', () => {
    fc.assert(fc.property(values, (position) => /^[\w-]+$/.test(encodeCursor('list.asc', position))));
  });

  it('are refused under another order', () => {
    fc.assert(
      fc.property(values, (position) => {
        expect(() => decodeCursor('list.desc', encodeCursor('list.asc', position))).toThrow(/cursor/);
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
          expect(() => decodeCursor('list.asc', variant)).toThrow(/cursor/);
        }
      }),
    );
  });

  it.each(['', 'x', 'null', 'e30', 'x'.repeat(10_000)])('%j is none', (cursor) => {
    expect(() => decodeCursor('list.asc', cursor)).toThrow(/cursor/);
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

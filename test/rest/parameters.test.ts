import { expect, test } from 'vitest';
import {
  bucketWidth,
  flag,
  oneOf,
  type Parameter,
  pageSize,
  sequence,
  tagFilters,
  text,
  timestamp,
} from '../../src/rest/declare/parameters.ts';
import { readQuery } from '../../src/rest/declare/query.ts';

const read = <T>(parameter: Parameter<T>, search: string): T => parameter.read(readQuery(search), 'x');

test('a page size is clamped to its maximum, and refused when it is no integer from 1', () => {
  const limit = pageSize({ default: 30, max: 200 });
  expect(read(limit, '')).toBe(30);
  expect(read(limit, 'x=5000000000000')).toBe(200);
  for (const bad of ['0', '-1', '1.5', '1e3', 'ten', '', '+1', '0x10'])
    expect(() => read(limit, `x=${encodeURIComponent(bad)}`), bad).toThrow(
      'x must be an integer from 1 to 200 (more counts as 200)',
    );
});

test('the width of a bucket is a whole number of seconds, and never clamped', () => {
  expect(read(bucketWidth, '')).toBe(3600);
  expect(read(bucketWidth, 'x=1')).toBe(1);
  for (const bad of ['0', '-1', '1.5', '1e3', 'hour', '', '2147483648'])
    expect(() => read(bucketWidth, `x=${bad}`), bad).toThrow('x must be an integer of seconds from 1 to 2147483647');
});

test('an unknown word is refused with the accepted ones', () => {
  expect(() => read(oneOf(['a', 'b'], ''), 'x=c')).toThrow('x must be one of a, b');
  expect(read(oneOf(['a', 'b'], ''), 'x=b')).toBe('b');
});

test('an RFC 3339 timestamp is read in any zone; anything else is refused', () => {
  expect(read(timestamp(''), 'x=2026-01-31T09:00:00%2B01:00')).toBe('2026-01-31T08:00:00.000Z');
  expect(read(timestamp(''), 'x=2026-01-31T08:00:00.123456Z')).toBe('2026-01-31T08:00:00.123Z');
  for (const bad of [
    'yesterday',
    '2026-01-31',
    '1700000000',
    '2026-13-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-01-31T08:00:00',
    '2026-02-30T08:00:00Z',
    '2026-01-31T24:00:00Z',
    '0001-01-01T00:00:00%2B14:00',
    '9999-12-31T23:59:59-14:00',
  ])
    expect(() => read(timestamp(''), `x=${bad}`), bad).toThrow('x must be an RFC 3339 timestamp');
});

test('a sequence number is a whole number of up to 31 bits', () => {
  expect(read(sequence(''), 'x=0')).toBe(0);
  for (const bad of ['-1', 'a', '1.0', '2147483648', ''])
    expect(() => read(sequence(''), `x=${bad}`), bad).toThrow('x must be');
});

test('a text of 256 code points passes, one more does not; an empty one counts as not given', () => {
  expect(read(text(''), `x=${encodeURIComponent('😀'.repeat(256))}`)).toHaveLength(512);
  expect(() => read(text(''), `x=${'a'.repeat(257)}`)).toThrow('x is longer than 256 characters');
  expect(read(text(''), 'x=')).toBeUndefined();
});

test('a parameter that may be given once is refused when it is repeated', () => {
  expect(() => read(text(''), 'x=a&x=b')).toThrow('x is given more than once');
});

test('tag filters are collected by key; what no tag can be is refused', () => {
  expect(read(tagFilters, 'x.a=1&x.b.c=2+3&y.d=4')).toEqual([
    { key: 'a', value: '1' },
    { key: 'b.c', value: '2 3' },
  ]);
  expect(read(tagFilters, 'x=a%3D1&x.b=2&x=c=3=4')).toEqual([
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
    { key: 'c', value: '3=4' },
  ]);
  expect(() => read(tagFilters, 'x=a')).toThrow('x must be <key>=<value>');
  expect(() => read(tagFilters, 'x==1')).toThrow('a key has 1 to 64 characters');
  expect(() => read(tagFilters, 'x.=1')).toThrow('a key has 1 to 64 characters');
  expect(() => read(tagFilters, 'x.a%20b=1')).toThrow('a key has 1 to 64 characters');
  expect(() => read(tagFilters, `x.a=${'v'.repeat(257)}`)).toThrow('x.a is longer than 256 characters');
  expect(() => read(tagFilters, Array.from({ length: 21 }, (_, n) => `x.k${n}=1`).join('&'))).toThrow('at most 20');
});

test('a flag is 1 or 0', () => {
  expect(read(flag(''), 'x=1')).toBe(true);
  expect(read(flag(''), '')).toBe(false);
  expect(() => read(flag(''), 'x=yes')).toThrow('x must be 1 or 0');
});

test('a query string that is not percent-encoded UTF-8, or holds U+0000, is refused', () => {
  expect(() => readQuery('x=%FF')).toThrow('not valid percent-encoded UTF-8');
  expect(() => readQuery('x=%ED%A0%80')).toThrow('not valid percent-encoded UTF-8');
  expect(() => readQuery('x=%00')).toThrow('unsupported character');
});

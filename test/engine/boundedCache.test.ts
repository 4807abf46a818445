import { describe, expect, it } from 'vitest';
import { BoundedCache } from '../../src/engine/boundedCache.ts';

describe('a bounded cache', () => {
  it('drops the least recently used entry when it is full', () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2]);
  });

  it('holds the last value of a key once, and nothing that was deleted', () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set('a', 1);
    cache.set('a', 2);
    expect([cache.get('a'), cache.size]).toEqual([2, 1]);
    cache.delete('a');
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });

  it('counts an entry by its weight, which may depend on its value', () => {
    const cache = new BoundedCache<string, string>(5, (key, value) => key.length + value.length);
    cache.set('a', 'xx');
    cache.set('a', 'x');
    cache.set('b', 'xx');
    expect([cache.get('a'), cache.get('b')]).toEqual(['x', 'xx']);
    cache.set('c', 'x');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, 'xx', 'x']);
    cache.set('d', 'far too long');
    expect(cache.size).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { FreshCache } from '../../../src/engine/keys/freshCache.ts';

/** A source that counts loads, and answers on request. */
function source(values: Record<string, string>) {
  const loads: string[] = [];
  const load = async (key: string): Promise<string | undefined> => {
    loads.push(key);
    return values[key];
  };
  return { loads, load, values };
}

const hour = 3_600_000;

describe('a cache of fresh values', () => {
  it('loads a key once while it is fresh, also for concurrent callers', async () => {
    const { loads, load } = source({ a: '1' });
    const cache = new FreshCache({ maxEntries: 10, maxAgeMs: hour, load });
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['1', '1']);
    expect(await cache.get('a')).toBe('1');
    expect(loads).toEqual(['a']);
  });

  it('loads a key again when it is stale or dropped, or when all keys are', async () => {
    const { loads, load, values } = source({ a: '1' });
    const stale = new FreshCache({ maxEntries: 10, maxAgeMs: 0, load });
    await stale.get('a');
    values['a'] = '2';
    expect(await stale.get('a')).toBe('2');
    const cache = new FreshCache({ maxEntries: 10, maxAgeMs: hour, load });
    await cache.get('a');
    cache.forget('a');
    await cache.get('a');
    cache.clear();
    await cache.get('a');
    expect(loads).toHaveLength(5);
  });

  it('does not cache a load in progress when all keys are dropped', async () => {
    const { load, values } = source({ a: '1' });
    const cache = new FreshCache({ maxEntries: 10, maxAgeMs: hour, load });
    const early = cache.get('a');
    cache.clear();
    await early;
    values['a'] = '2';
    expect(await cache.get('a')).toBe('2');
  });

  it('caches neither missing values nor failures', async () => {
    const { load, values } = source({});
    let isDown = false;
    const failing = async (key: string) => {
      if (isDown) throw new Error('down');
      return load(key);
    };
    const cache = new FreshCache({ maxEntries: 10, maxAgeMs: hour, load: failing });
    expect(await cache.get('a')).toBeUndefined();
    isDown = true;
    await expect(cache.get('a')).rejects.toThrow('down');
    isDown = false;
    values['a'] = '1';
    expect(await cache.get('a')).toBe('1');
  });

  it('is bounded: the least recently used entry is dropped', async () => {
    const { loads, load } = source({ a: '1', b: '2', c: '3' });
    const cache = new FreshCache({ maxEntries: 2, maxAgeMs: hour, load });
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await cache.get(key);
    expect(loads).toEqual(['a', 'b', 'c', 'a']);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { KeyLookUp } from '../../../src/engine/keys/keyLookUp.ts';
import type { KeyRow } from '../../../src/engine/keys/sql/findKeys.ts';

const here = (): boolean => false;
const hour = 3_600_000;
const rowOf = (hash: string): KeyRow => ({
  hash,
  id: hash,
  projectId: 'p',
  name: 'k',
  kind: 'secret',
  expiresAt: null,
});

/** A database of keys that answers on request. */
class Keys {
  readonly existing = new Set<string>();
  readonly reads: (readonly string[])[] = [];
  #answers: (() => void)[] = [];

  load = (hashes: readonly string[]): Promise<ReadonlyMap<string, KeyRow>> => {
    this.reads.push(hashes);
    const rows = hashes.filter((hash) => this.existing.has(hash)).map((hash) => [hash, rowOf(hash)] as const);
    return new Promise((resolve) => this.#answers.push(() => resolve(new Map(rows))));
  };

  /** Answers the reads in progress, and those that follow from them. */
  async answer(): Promise<void> {
    while (this.#answers.length > 0) {
      for (const answer of this.#answers.splice(0)) answer();
      await settled();
    }
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let keys: Keys;
let lookUp: KeyLookUp<KeyRow>;
const strangers = { atOnce: 1, maxTogether: 3, maxWaiting: 4 };
const make = (missMs = hour, maxAgeMs = hour): KeyLookUp<KeyRow> =>
  new KeyLookUp<KeyRow>({ load: keys.load, maxAgeMs, missMs, strangers });

beforeEach(() => {
  keys = new Keys();
  lookUp = make();
});

/** Looks up hashes while the database answers at once. */
async function found(...hashes: string[]): Promise<(string | undefined)[]> {
  const rows = Promise.all(hashes.map((hash) => lookUp.get(hash, here)));
  await settled();
  await keys.answer();
  return (await rows).map((row) => row?.hash);
}

describe('unknown keys', () => {
  it('share reads, few at once, and beyond a queue they are refused as busy', async () => {
    const all = Array.from({ length: 6 }, (_, n) => lookUp.get(`${n}`, here));
    const results = Promise.allSettled(all);
    await settled();
    expect(keys.reads).toEqual([['0', '1', '2']]);
    await keys.answer();
    expect(keys.reads).toEqual([['0', '1', '2'], ['3']]);
    const refused = (await results).filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { kind: 'busy' } }, { reason: { kind: 'busy' } }]);
  });

  it('do not delay a key that was seen before, also while all their places are taken', async () => {
    keys.existing.add('known');
    lookUp = make(hour, 0);
    expect(await found('known')).toEqual(['known']);
    const flood = Promise.allSettled(Array.from({ length: 20 }, (_, n) => lookUp.get(`${n}`, here)));
    await settled();
    const known = lookUp.get('known', here);
    expect(keys.reads.at(-1)).toEqual(['known']);
    await keys.answer();
    expect((await known)?.hash).toBe('known');
    await flood;
  });

  it('are remembered as misses for a while', async () => {
    expect(await found('a', 'a')).toEqual([undefined, undefined]);
    expect(await found('a')).toEqual([undefined]);
    expect(keys.reads).toEqual([['a']]);
    lookUp = make(0);
    await found('a');
    keys.existing.add('a');
    expect(await found('a')).toEqual(['a']);
  });

  it('are not read for callers who have gone, nor if only one of two is left', async () => {
    const gone = Promise.allSettled([lookUp.get('a', () => true), lookUp.get('b', () => true)]);
    const left = lookUp.get('b', here);
    await settled();
    expect(keys.reads).toEqual([['b']]);
    await keys.answer();
    expect(await left).toBeUndefined();
    expect(await gone).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }]);
  });
});

describe('a key that this process creates', () => {
  it('works at once after a miss', async () => {
    await found('a');
    keys.existing.add('a');
    lookUp.created('a');
    expect(await found('a')).toEqual(['a']);
  });

  it('works at once while a read from before is in progress, which then is not remembered', async () => {
    const early = lookUp.get('a', here);
    await settled();
    keys.existing.add('a');
    lookUp.created('a');
    expect(await found('a')).toEqual(['a']);
    expect(await early).toBeUndefined();
    expect(await found('a')).toEqual(['a']);
  });
});

describe('a key that this process revokes', () => {
  it('is not found any more, even if a read from before is in progress', async () => {
    keys.existing.add('a');
    const early = lookUp.get('a', here);
    await settled();
    keys.existing.delete('a');
    lookUp.revoked();
    await keys.answer();
    expect((await early)?.hash).toBe('a');
    expect(await found('a')).toEqual([undefined]);
  });
});

import { expect, it } from 'vitest';
import { Batcher } from '../../src/engine/batcher.ts';

const failure = (code: string): Error => Object.assign(new Error('no'), { code });

/** A batcher whose flushes fail by `refuse`, with the items of each flush. */
function batching(refuse: (items: readonly number[]) => Error | undefined) {
  const flushed: number[][] = [];
  const batcher = new Batcher<number, string>({
    flush: async (items) => {
      flushed.push(items);
      const error = refuse(items);
      if (error) throw error;
      return items.map((item) => `${item} done`);
    },
    maxItems: 10,
    maxInFlight: 1,
    maxQueued: 100,
  });
  const outcomes = () => Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)));
  return { flushed, outcomes };
}

const done = (item: number) => ({ status: 'fulfilled', value: `${item} done` });

it('a failure of one item does not fail the others, each tried alone', async () => {
  const { flushed, outcomes } = batching((items) => (items.includes(2) ? failure('22P05') : undefined));
  expect(await outcomes()).toEqual([done(1), { status: 'rejected', reason: failure('22P05') }, done(3)]);
  expect(flushed).toEqual([[1, 2, 3], [1], [2], [3]]);
});

it('after a deadlock, each item is tried alone', async () => {
  const { outcomes } = batching((items) => (items.length > 1 ? failure('40P01') : undefined));
  expect(await outcomes()).toEqual([done(1), done(2), done(3)]);
});

it.each(['ECONNRESET', '57P01', '08006'])(
  'what may have been committed, by %s, is not done a second time',
  async (code) => {
    const { flushed, outcomes } = batching((items) => (items.length > 1 ? failure(code) : undefined));
    const rejected = { status: 'rejected', reason: failure(code) };
    expect(await outcomes()).toEqual([rejected, rejected, rejected]);
    expect(flushed).toEqual([[1, 2, 3]]);
  },
);

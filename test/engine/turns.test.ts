import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/engine/turns.ts';

const refusal = 'too many';
const open = (options: { maxWaiting?: number; waitMs?: number } = {}): Turns =>
  new Turns({ atOnce: 2, maxWaiting: 2, waitMs: 60_000, refusal, ...options });

/** Work that ends when the test says so. */
function work(): { begun: boolean; end(): void; fail(): void; run(): Promise<void> } {
  let resolve = (): void => {};
  let reject = (_cause: Error): void => {};
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  const piece = {
    begun: false,
    end: () => resolve(),
    fail: () => reject(new Error('failed')),
    run: () => {
      piece.begun = true;
      return promise;
    },
  };
  return piece;
}

describe('turns', () => {
  it('are given to so many at once, then in the order in which they came', async () => {
    const turns = open();
    const pieces = [work(), work(), work(), work()];
    const done = pieces.map(({ run }) => turns.take(run));
    const begun = (): boolean[] => pieces.map((piece) => piece.begun);
    expect(begun()).toEqual([true, true, false, false]);
    pieces[1]?.end();
    await done[1];
    await expect.poll(begun).toEqual([true, true, true, false]);
    pieces[0]?.end();
    await done[0];
    await expect.poll(begun).toEqual([true, true, true, true]);
    for (const { end } of pieces) end();
    await Promise.all(done);
  });

  it('are given on by work that fails', async () => {
    const turns = open();
    const pieces = [work(), work(), work()];
    const [first, ...others] = pieces.map(({ run }) => turns.take(run));
    pieces[0]?.fail();
    await expect(first).rejects.toThrow('failed');
    for (const { end } of pieces.slice(1)) end();
    await Promise.all(others);
  });

  it('are refused at once where too many wait', async () => {
    const turns = open();
    const pieces = Array.from({ length: 4 }, work);
    const done = pieces.map(({ run }) => turns.take(run));
    await expect(turns.take(work().run)).rejects.toMatchObject({ kind: 'busy', message: refusal });
    for (const { end } of pieces) end();
    await Promise.all(done);
    await turns.take(async () => undefined);
  });

  it('are refused after a while, and later ones keep their turn', async () => {
    const turns = open({ waitMs: 10 });
    const pieces = [work(), work()];
    const done = pieces.map(({ run }) => turns.take(run));
    const late = work();
    await expect(turns.take(late.run)).rejects.toMatchObject({ kind: 'busy' });
    expect(late.begun).toBe(false);
    for (const { end } of pieces) end();
    await Promise.all(done);
    await turns.take(async () => undefined);
    await turns.take(async () => undefined);
  });
});

import { describe, expect, it } from 'vitest';
import { Turns, type TurnsOptions } from '../../src/engine/turns.ts';

const refusal = 'too many';
const open = (options: Partial<TurnsOptions> = {}): Turns =>
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
    const done = pieces.map(({ run }) => turns.take('one', run));
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
    const [first, ...others] = pieces.map(({ run }) => turns.take('one', run));
    pieces[0]?.fail();
    await expect(first).rejects.toThrow('failed');
    for (const { end } of pieces.slice(1)) end();
    await Promise.all(others);
  });

  it('are refused at once where too many wait', async () => {
    const turns = open();
    const pieces = Array.from({ length: 4 }, work);
    const done = pieces.map(({ run }) => turns.take('one', run));
    await expect(turns.take('one', work().run)).rejects.toMatchObject({ kind: 'busy', message: refusal });
    for (const { end } of pieces) end();
    await Promise.all(done);
    await turns.take('one', async () => undefined);
  });

  it('are refused after a while, and later ones keep their turn', async () => {
    const turns = open({ waitMs: 10 });
    const pieces = [work(), work()];
    const done = pieces.map(({ run }) => turns.take('one', run));
    const late = work();
    await expect(turns.take('one', late.run)).rejects.toMatchObject({ kind: 'busy' });
    expect(late.begun).toBe(false);
    for (const { end } of pieces) end();
    await Promise.all(done);
    await turns.take('one', async () => undefined);
    await turns.take('one', async () => undefined);
  });

  it('go round the groups, however much one of them asks for', async () => {
    const turns = open({ atOnce: 1, maxWaiting: 100 });
    const order: string[] = [];
    const noted = (name: string) => turns.take(name, async () => void order.push(name));
    const asked = [...Array.from({ length: 4 }, () => noted('greedy')), noted('modest'), noted('modest')];
    await Promise.all(asked);
    expect(order).toEqual(['greedy', 'greedy', 'modest', 'greedy', 'modest', 'greedy']);
  });

  it('are never all held by one group, if so many must stay free', async () => {
    const turns = open({ atOnce: 4, maxWaiting: 100, perFree: 1 });
    const pieces = Array.from({ length: 5 }, work);
    const done = pieces.map(({ run }) => turns.take('greedy', run));
    const others = ['a', 'b'].map((name) => ({ name, piece: work() }));
    const doneOthers = others.map(({ name, piece }) => turns.take(name, piece.run));
    expect(pieces.map(({ begun }) => begun)).toEqual([true, true, false, false, false]);
    expect(others.map(({ piece }) => piece.begun)).toEqual([true, true]);
    for (const { end } of [...pieces, ...others.map(({ piece }) => piece)]) end();
    await Promise.all([...done, ...doneOthers]);
    expect(turns.held).toBe(0);
  });

  it('are lost by dropped work, which never begins', async () => {
    const turns = open({ atOnce: 1 });
    const [first, dropped] = [work(), work()];
    const done = turns.take('one', first.run);
    let drop = (): void => {};
    const waiting = turns.take('one', dropped.run, (toDrop) => {
      drop = toDrop;
    });
    drop();
    await expect(waiting).rejects.toMatchObject({ kind: 'busy' });
    first.end();
    await done;
    expect([dropped.begun, turns.held]).toEqual([false, 0]);
  });

  it('can be lent while work waits for several things, and are taken back after the last', async () => {
    const turns = open({ atOnce: 1 });
    const [long, short, other] = [work(), work(), work()];
    const done = turns.take('one', (turn) => Promise.all([turn.lend(long.run), turn.lend(short.run)]));
    await expect.poll(() => long.begun && short.begun).toBe(true);
    short.end();
    const between = turns.take('other', other.run);
    await expect.poll(() => other.begun).toBe(true);
    long.end();
    await expect.poll(() => turns.waiting).toBe(1);
    expect(turns.held).toBe(1);
    other.end();
    await Promise.all([between, done]);
    expect(turns.held).toBe(0);
  });

  it('are taken back one after the other, before new work of the group, and never from other groups', async () => {
    const turns = open({ atOnce: 4, maxWaiting: 1, perFree: 1, waitMs: 10 });
    const wait = work();
    const pieces = Array.from({ length: 5 }, work);
    const done = [];
    for (const piece of pieces) {
      done.push(turns.take('greedy', (turn) => turn.lend(wait.run).then(piece.run)));
      await expect.poll(() => turns.held).toBe(0);
    }
    wait.end();
    await expect.poll(() => turns.waiting).toBe(3);
    expect(turns.held).toBe(2);
    const late = work();
    await expect(turns.take('greedy', late.run)).rejects.toMatchObject({ kind: 'busy' });
    await turns.take('other', async () => undefined);
    for (const { end } of pieces) end();
    await Promise.all(done);
    expect([turns.held, turns.waiting, late.begun]).toEqual([0, 0, false]);
  });

  it('are not lost if work ends while a part of it still waits', async () => {
    const turns = open({ atOnce: 1 });
    const late = work();
    const parts: Promise<void>[] = [];
    await turns.take('one', async (turn) => void parts.push(turn.lend(late.run)));
    expect(turns.held).toBe(0);
    late.end();
    await Promise.all(parts);
    expect(turns.held).toBe(0);
  });

  it('are not lost if work ends while a part of it waits to take one back', async () => {
    const turns = open({ atOnce: 1 });
    const [late, other] = [work(), work()];
    const parts: Promise<void>[] = [];
    const done = turns.take('one', async (turn) => {
      parts.push(turn.lend(late.run));
      await new Promise((resolve) => setImmediate(resolve));
    });
    const between = turns.take('other', other.run);
    late.end();
    await done;
    expect(turns.held).toBe(1);
    other.end();
    await Promise.all([between, ...parts]);
    await expect.poll(() => [turns.held, turns.waiting]).toEqual([0, 0]);
  });
});

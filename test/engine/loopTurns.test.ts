import { describe, expect, it } from 'vitest';
import { LoopTurns } from '../../src/engine/loopTurns.ts';

const iteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that takes so many ms of the test's clock at its turn. */
function scene() {
  let now = 0;
  const order: string[] = [];
  const turns = new LoopTurns(() => now);
  const work = async (group: string, tookMs: number): Promise<void> => {
    await turns.next(group);
    order.push(group);
    now += tookMs;
  };
  return { order, work };
}

describe('turns of the event loop', () => {
  it('are no wait while there is time in the iteration', () => {
    const turns = new LoopTurns(() => 0);
    expect([turns.next('a'), turns.next('b'), turns.next('a')]).toEqual([undefined, undefined, undefined]);
  });

  it('go round the groups, one long piece of work in each iteration', async () => {
    const { order, work } = scene();
    await work('greedy', 10);
    const done = [work('greedy', 10), work('greedy', 10), work('greedy', 10), work('modest', 10)];
    expect(order).toEqual(['greedy']);
    await Promise.all(done);
    expect(order).toEqual(['greedy', 'greedy', 'modest', 'greedy', 'greedy']);
  });

  it('leave other work of the loop its part', async () => {
    const { order, work } = scene();
    await work('a', 10);
    const done = Array.from({ length: 5 }, () => work('a', 10));
    const seen: number[] = [];
    while (order.length < 6) {
      await iteration();
      seen.push(order.length);
    }
    await Promise.all(done);
    expect(Math.max(...seen.map((each, at) => each - (seen[at - 1] ?? 1)))).toBe(1);
  });

  it('are many in one iteration if the work is short', async () => {
    const { order, work } = scene();
    await work('a', 10);
    const done = Array.from({ length: 20 }, () => work('a', 0.1));
    await iteration();
    await iteration();
    expect(order.length).toBe(21);
    await Promise.all(done);
  });
});

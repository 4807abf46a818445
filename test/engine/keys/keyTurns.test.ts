import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeyPermits } from '../../../src/engine/keys/keyPermits.ts';
import { type KeyTurn, KeyTurns } from '../../../src/engine/keys/keyTurns.ts';

const a = { keyId: 'a' };
const b = { keyId: 'b' };
let permits: KeyPermits;
let turns: KeyTurns;
beforeEach(() => {
  vi.useFakeTimers();
  permits = new KeyPermits(1);
  turns = new KeyTurns({ atOnce: 2, maxWaiting: 2, waitMs: 1_000, permits });
});
afterEach(() => void vi.useRealTimers());

const open = (count: number): KeyTurn[] => Array.from({ length: count }, () => turns.open(a));
const begun = (all: readonly KeyTurn[]): boolean[] => all.map((turn) => turn.begun === undefined);

describe('the requests of one key', () => {
  it('are under way so many at once, in order, whatever another key does', () => {
    const all = open(4);
    expect(begun(all)).toEqual([true, true, false, false]);
    expect(turns.open(b).begun).toBeUndefined();
    all[1]?.end();
    all[1]?.end();
    expect(begun(all)).toEqual([true, true, true, false]);
    all[0]?.end();
    expect(begun(all)).toEqual([true, true, true, true]);
    for (const turn of all) turn.end();
    expect(begun(open(2))).toEqual([true, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are refused as busy beyond the queue, and after a wait', async () => {
    const all = open(4);
    expect(() => turns.open(a)).toThrow(expect.objectContaining({ kind: 'busy' }));
    const late = expect(all[2]?.begun).rejects.toMatchObject({ kind: 'busy' });
    vi.advanceTimersByTime(1_000);
    await late;
    // Their places in the queue are free.
    expect(begun(open(2))).toEqual([false, false]);
  });

  it('leave the queue when their caller goes', async () => {
    const all = open(3);
    const gone = expect(all[2]?.begun).rejects.toMatchObject({ kind: 'busy' });
    all[2]?.end();
    await gone;
    all[0]?.end();
    expect(begun(open(1))).toEqual([true]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a request that waits for an event', () => {
  it('gives its turn away, holds a permit, and comes back in turn', async () => {
    const [waiting, other] = open(2);
    let happen = (): void => undefined;
    const waited = waiting?.whileWaiting(() => new Promise<void>((resolve) => (happen = resolve)));
    const third = turns.open(a);
    expect(third.begun).toBeUndefined();
    expect(permits.take(a)).toBeUndefined();
    happen();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(waiting?.begun).toBeInstanceOf(Promise);
    other?.end();
    await waited;
    expect(permits.take(a)).toBeTypeOf('function');
    expect(waiting?.begun).toBeUndefined();
  });

  it('is refused without a permit, and releases all when its caller goes', async () => {
    const [first, second] = open(2);
    const left = first?.whileWaiting(() => new Promise(() => undefined));
    await expect(second?.whileWaiting(async () => undefined)).rejects.toMatchObject({ kind: 'invalid' });
    first?.end();
    second?.end();
    expect(permits.take(a)).toBeTypeOf('function');
    expect(begun(open(2))).toEqual([true, true]);
    expect(left).toBeInstanceOf(Promise);
  });
});

import { describe, expect, it } from 'vitest';
import { PayloadRoom } from '../../src/engine/payloadRoom.ts';

const never = new AbortController().signal;
const open = (waitMs = 60_000) => new PayloadRoom({ maxBytes: 100, waitMs });

/** What of several came true so far. */
function recorder(): { told: string[]; note(name: string, promise: Promise<() => void>): Promise<() => void> } {
  const told: string[] = [];
  return {
    told,
    note: async (name, promise) => {
      const giveBack = await promise;
      told.push(name);
      return giveBack;
    },
  };
}

describe('the room for payloads', () => {
  it('is given as long as there is some, and given back once', async () => {
    const room = open();
    const giveBack = await room.take(60, never);
    await room.take(40, never);
    expect(room.heldBytes).toBe(100);
    giveBack();
    giveBack();
    expect(room.heldBytes).toBe(40);
  });

  it('is given in turn: nobody passes one who waits for more', async () => {
    const room = open();
    const { told, note } = recorder();
    const first = await room.take(60, never);
    const large = note('large', room.take(80, never));
    const small = note('small', room.take(10, never));
    await Promise.resolve();
    expect(told).toEqual([]);
    first();
    (await large)();
    await small;
    expect(told).toEqual(['large', 'small']);
    expect(room.heldBytes).toBe(10);
  });

  it('is given to one who asks for more than there is once nobody else has any', async () => {
    const room = open();
    const first = await room.take(1, never);
    const huge = room.take(1_000, never);
    first();
    (await huge)();
    expect(room.heldBytes).toBe(0);
  });

  it('is refused after a while', async () => {
    const room = open(10);
    const first = await room.take(100, never);
    await expect(room.take(1, never)).rejects.toMatchObject({ kind: 'busy' });
    first();
    await expect(room.take(1, never)).resolves.toBeDefined();
  });

  it('is left to those behind by one who goes', async () => {
    const room = open();
    await room.take(50, never);
    const caller = new AbortController();
    const gone = room.take(80, caller.signal);
    const next = room.take(50, never);
    caller.abort();
    await expect(gone).rejects.toMatchObject({ kind: 'busy' });
    await expect(next).resolves.toBeDefined();
    await expect(room.take(1, caller.signal)).rejects.toMatchObject({ kind: 'busy' });
  });

  it('is exceeded by those who may not wait', () => {
    const room = open();
    room.takeNow(150);
    expect(room.heldBytes).toBe(150);
  });

  it('is given to answers that hold some before others', async () => {
    const room = open();
    const answer = {};
    const first = await room.take(60, never, answer);
    const other = room.take(80, never);
    const second = await room.take(40, never, answer);
    expect(room.heldBytes).toBe(100);
    first();
    second();
    (await other)();
    expect(room.heldBytes).toBe(0);
  });

  it('is exceeded by one answer that nobody else keeps from it', async () => {
    const room = open(10);
    const answer = {};
    await room.take(60, never, answer);
    await room.take(60, never, answer);
    await room.take(60, never, answer);
    expect(room.heldBytes).toBe(180);
    await expect(room.take(1, never)).rejects.toMatchObject({ kind: 'busy' });
  });

  it('is exceeded by one, and no more, of several answers that would only wait for each other', async () => {
    const room = open();
    const { told, note } = recorder();
    const [one, two] = [{}, {}];
    const held = [await room.take(50, never, one), await room.take(50, never, two)];
    const waits = [note('one', room.take(10, never, one)), note('two', room.take(10, never, two))];
    held.push(await note('one again', room.take(30, never, one)));
    expect(told).toEqual(['one', 'one again']);
    expect(room.heldBytes).toBe(140);
    held[0]?.();
    held[2]?.();
    (await waits[0])?.();
    await waits[1];
    expect(room.heldBytes).toBe(60);
  });
});

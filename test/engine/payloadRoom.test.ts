import { describe, expect, it } from 'vitest';
import { PayloadRoom, type Reservation } from '../../src/engine/payloadRoom.ts';

const never = new AbortController().signal;
const open = (waitMs = 60_000) => new PayloadRoom({ maxBytes: 100, waitMs });

/** Notes the order in which answers enter. */
function recorder(): { told: string[]; note(name: string, promise: Promise<Reservation>): Promise<Reservation> } {
  const told: string[] = [];
  return {
    told,
    note: async (name, promise) => {
      const reservation = await promise;
      told.push(name);
      return reservation;
    },
  };
}

describe('the room for payloads', () => {
  it('P3: is given as long as there is some, and given back once', async () => {
    const room = open();
    const first = await room.enter(60, never);
    await room.enter(40, never);
    expect(room.heldBytes).toBe(100);
    first.resize(0);
    first.resize(0);
    expect(room.heldBytes).toBe(40);
  });

  it('P1: is given in turn, so that no answer overtakes one that waits for more', async () => {
    const room = open();
    const { told, note } = recorder();
    const first = await room.enter(60, never);
    const large = note('large', room.enter(80, never));
    const small = note('small', room.enter(10, never));
    await Promise.resolve();
    expect(told).toEqual([]);
    first.resize(0);
    (await large).resize(0);
    await small;
    expect(told).toEqual(['large', 'small']);
    expect(room.heldBytes).toBe(10);
  });

  it('P3: is given to an answer larger than the limit once no other holds any', async () => {
    const room = open();
    const first = await room.enter(1, never);
    const huge = room.enter(1_000, never);
    first.resize(0);
    (await huge).resize(0);
    expect(room.heldBytes).toBe(0);
  });

  it('is refused after a while', async () => {
    const room = open(10);
    const first = await room.enter(100, never);
    await expect(room.enter(1, never)).rejects.toMatchObject({ kind: 'busy' });
    first.resize(0);
    await expect(room.enter(1, never)).resolves.toBeDefined();
  });

  it('P1: is left to those behind by an answer whose caller goes', async () => {
    const room = open();
    await room.enter(50, never);
    const caller = new AbortController();
    const gone = room.enter(80, caller.signal);
    const next = room.enter(50, never);
    caller.abort();
    await expect(gone).rejects.toMatchObject({ kind: 'busy' });
    await expect(next).resolves.toBeDefined();
    await expect(room.enter(1, caller.signal)).rejects.toMatchObject({ kind: 'busy' });
  });

  it('P3: is exceeded by answers that may not wait', () => {
    const room = open();
    room.enterNow(150);
    expect(room.heldBytes).toBe(150);
  });

  it('P2: is given to an answer that holds some at once, before those that wait', async () => {
    const room = open();
    const first = await room.enter(60, never);
    const other = room.enter(80, never);
    first.resize(100);
    expect(room.heldBytes).toBe(100);
    first.resize(0);
    (await other).resize(0);
    expect(room.heldBytes).toBe(0);
  });

  it('P2: is exceeded by answers that hold some, and refused to others meanwhile', async () => {
    const room = open(10);
    const held = [await room.enter(50, never), await room.enter(50, never)];
    for (const each of held) each.resize(80);
    expect(room.heldBytes).toBe(160);
    await expect(room.enter(1, never)).rejects.toMatchObject({ kind: 'busy' });
    for (const each of held) each.resize(20);
    await expect(room.enter(60, never)).resolves.toBeDefined();
  });
});

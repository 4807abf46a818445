import { beforeEach, describe, expect, it } from 'vitest';
import { FollowedEvents } from '../../../src/engine/event-tail/followedEvents.ts';
import { lowestIdAt } from '../../../src/engine/event-tail/idTime.ts';

const base = Date.now();
const idOf = (n: number): string => lowestIdAt(new Date(base + n));
const event = (n: number) => ({ id: idOf(n), app: 'shop', name: 'order.placed' });
/**
 * A row of the log whose transaction has the event's number, and was begun when all lower numbers
 * were over.
 */
const row = (n: number) => ({ ...event(n), xid: n, snapshot: `${n}:${n}:` });

let now: number;
let told: number[];
let followed: FollowedEvents;

beforeEach(() => {
  now = 0;
  told = [];
  followed = new FollowedEvents(idOf(0), () => now);
  followed.add(({ id }) => told.push(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - base));
  followed.look()([], false);
});

describe('the events that are followed', () => {
  it('are told in order, those first that a look does not show any more', () => {
    for (const n of [2, 1, 4]) followed.announce(event(n));
    followed.look()([row(3), row(4)], false);
    expect(told).toEqual([1, 2, 3, 4]);
  });

  it('are told in order, too, where more are announced than it holds', () => {
    for (let n = 4_000; n > 0; n -= 1) followed.announce(event(n));
    expect(told).toEqual([]);
    followed.announce(event(5_000));
    expect(told).toEqual(Array.from({ length: 4_000 }, (_, n) => n + 1));
  });

  it('wait for one that nobody announced, for a tenth of a second from when it was seen', () => {
    followed.announce(event(2));
    const isDue = () => followed.hasNews;
    for (now of [10, 60, 109]) {
      expect(followed.look()([row(1), row(2)], true)).toBe(0);
      expect(isDue()).toBe(true);
    }
    now = 110;
    expect(followed.look()([row(1), row(2)], true)).toBe(2);
    expect(isDue()).toBe(false);
    expect(told).toEqual([1, 2]);
  });

  it('wait for each that nobody announced, not longer for those before it', () => {
    followed.announce(event(3));
    followed.look()([row(1), row(3)], true);
    now = 60;
    followed.announce(event(5));
    followed.look()([row(1), row(3), row(4), row(5)], true);
    now = 100;
    followed.look()([row(1), row(3), row(4), row(5)], true);
    expect(told).toEqual([1, 3]);
    now = 160;
    followed.look()([row(4), row(5)], true);
    expect(told).toEqual([1, 3, 4, 5]);
  });

  it('are looked for again after a look that failed', () => {
    followed.announce(event(1));
    followed.look();
    expect(followed.hasNews).toBe(true);
    followed.look()([row(1)], true);
    expect(followed.hasNews).toBe(false);
  });

  it('are told once, though looks show many of them again before the next impatient one', () => {
    const rows = Array.from({ length: 6_000 }, (_, n) => row(n));
    for (const { id } of rows) followed.announce({ id, app: 'shop', name: 'order.placed' });
    followed.look()(rows, true);
    followed.look()(rows, false);
    expect(told).toHaveLength(6_000);
  });
});

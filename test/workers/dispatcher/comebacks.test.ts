import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { replacedReason } from '../../../src/workers/dispatcher/gateway/closing.ts';
import { hold } from './kit/heldStatements.ts';
import { passUntil } from './kit/passUntil.ts';
import { type Post, Site } from './kit/site.ts';
import type { SocketRunner } from './kit/socketRunner.ts';

let site: Site;
afterEach(() => site.close());

const longWait = { timeout: 10_000 };
const twin = { app: 'shop', runner: 'twin', workflows: [{ name: 'order' }] };

const isOpen = ({ ws }: SocketRunner): boolean => ws.readyState === ws.OPEN;

const rowOf = (runnerId: string) => site.engine.db.prisma.runner.findFirstOrThrow({ where: { runnerId } });

/** A dispatcher that can be made to stand still, as far as the database sees it, beside another. */
async function open(): Promise<{ clock: ManualClock; sleeper: Post; other: Post }> {
  const clock = new ManualClock();
  site = await Site.open({ clock });
  return { clock, sleeper: await site.startDispatcher(), other: await site.startDispatcher() };
}

/** The runner's row is kept by another dispatcher than that, one that lives. */
const moved = (runnerId: string, from: string | null) =>
  vi.waitFor(async () => {
    const { connected, dispatcherId } = await rowOf(runnerId);
    expect(connected).toBe(true);
    expect(dispatcherId).not.toBe(from);
    expect(await site.engine.db.prisma.dispatcher.count({ where: { id: dispatcherId ?? '' } })).toBe(1);
  }, longWait);

describe('a dispatcher that stood still', () => {
  it('W1: closes the old socket of a runner that has connected elsewhere meanwhile', async () => {
    const { clock, sleeper, other } = await open();
    const [old, only] = [site.connect(sleeper), site.connect(sleeper)];
    await old.ready(twin);
    const live = site.connect(other);
    await only.ready({ ...twin, runner: 'only' });
    // Meanwhile nothing here tells the sleeper that its runner has moved.
    const [beats, looks] = [hold(sleeper, 'beatDispatcher'), hold(sleeper, 'findStrayConnections')];
    const { dispatcherId } = await rowOf('only');
    await live.ready(twin);
    const taken = await rowOf('twin');
    await passUntil(clock, async () => expect((await rowOf('only')).connected).toBe(false));
    looks.release();
    beats.release();
    await moved('only', dispatcherId);
    const { connectionId } = await rowOf('twin');
    const gone = [old, live].map(async (socket) => ({ isOld: socket === old, code: (await socket.closed).code }));
    expect(await Promise.race(gone)).toEqual({ isOld: true, code: 4410 });
    expect([isOpen(live), isOpen(only)]).toEqual([true, true]);
    expect([connectionId, (await rowOf('twin')).dispatcherId]).toEqual([taken.connectionId, taken.dispatcherId]);
  });
});

describe('two connections of one runner, to two processes', () => {
  const hello = { type: 'hello', ...twin };
  const replaced = { code: 4410, reason: replacedReason };

  /** Lets the registrations of a process wait, or fail, around their transaction. */
  function around({ engine: { db } }: Post, enter: (commit: () => Promise<unknown>) => Promise<unknown>): void {
    const transaction = db.transaction.bind(db) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(db, { transaction: (...args: unknown[]) => enter(() => transaction(...args)) });
  }

  it('W1: the one that was opened last represents the runner, although the other says hello last', async () => {
    const { sleeper: here, other: there } = await open();
    const older = site.connect(here);
    await older.opened();
    const newer = site.connect(there);
    await newer.ready(twin);
    const taken = await rowOf('twin');
    older.send(hello);
    expect(await older.closed).toEqual(replaced);
    expect([isOpen(newer), await rowOf('twin')]).toEqual([true, taken]);
  });

  it('W1: so it does if the older hello was delayed and its socket still seems open', async () => {
    const { sleeper: here, other: there } = await open();
    const older = site.connect(here);
    await older.opened();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    around(here, async (commit) => {
      await released;
      return commit();
    });
    older.send({ ...hello, workflows: [{ name: 'order', triggers: [{ event: 'old' }] }] });
    const newer = site.connect(there);
    await newer.ready(twin);
    release();
    expect(await older.closed).toEqual(replaced);
    expect((await rowOf('twin')).connected).toBe(true);
    expect(await site.engine.db.prisma.workflow.findMany()).toMatchObject([{ name: 'order', triggers: null }]);
    expect(isOpen(newer)).toBe(true);
  });

  it('W2: so it does if the commit of the older got no answer', async () => {
    const { sleeper: here, other: there } = await open();
    const older = site.connect(here);
    await older.opened();
    const newer = site.connect(there);
    await newer.opened();
    let isLost = true;
    around(here, async (commit) => {
      const answer = await commit();
      if (isLost) throw new Error('the answer was lost');
      return answer;
    });
    older.send(hello);
    expect((await older.closed).code).toBe(1011);
    await vi.waitFor(async () => expect((await rowOf('twin')).connected).toBe(false), longWait);
    await newer.ready(twin);
    isLost = false;
    const again = site.connect(here);
    await again.ready(twin);
    expect(await newer.closed).toEqual(replaced);
  });
});

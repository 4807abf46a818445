import { afterEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { hold } from './kit/heldStatements.ts';
import { passUntil } from './kit/passUntil.ts';
import { type Post, Site } from './kit/site.ts';
import type { SocketRunner } from './kit/socketRunner.ts';

let site: Site;
afterEach(() => site.close());

const patient = { timeout: 10_000 };
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
  }, patient);

describe('a dispatcher that stood still', () => {
  it('leaves the runner that has connected elsewhere meanwhile there, and lets go of its old socket', async () => {
    const { clock, sleeper, other } = await open();
    const [old, only, live] = [site.connect(sleeper), site.connect(sleeper), site.connect(other)];
    await old.ready(twin);
    await only.ready({ ...twin, runner: 'only' });
    const [beats, looks] = [hold(sleeper, 'beatDispatcher'), hold(sleeper, 'findStrayConnections')];
    const { dispatcherId } = await rowOf('only');
    await live.ready(twin);
    const taken = await rowOf('twin');
    await passUntil(clock, async () => expect((await rowOf('only')).connected).toBe(false));
    beats.release();
    await moved('only', dispatcherId);
    const { connectionId } = await rowOf('twin');
    looks.release();
    const gone = [old, live].map(async (socket) => ({ isOld: socket === old, code: (await socket.closed).code }));
    expect(await Promise.race(gone)).toEqual({ isOld: true, code: 4410 });
    expect([isOpen(live), isOpen(only)]).toEqual([true, true]);
    expect([connectionId, (await rowOf('twin')).dispatcherId]).toEqual([taken.connectionId, taken.dispatcherId]);
  });
});

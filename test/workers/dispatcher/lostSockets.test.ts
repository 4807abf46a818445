import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { replacedReason } from '../../../src/workers/dispatcher/gateway/closing.ts';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
beforeAll(async () => {
  site = await ScriptedSite.open();
});
afterAll(() => site.close());

/** A newer connection, to another process. */
const elsewhere = { dispatcherId: 'other', connectionId: 'other', connectionNo: 1_000_000 };

function tellOfNews(): void {
  const { latest } = site.work;
  site.work.latest = { ...latest, registryEpoch: latest.registryEpoch + 1 };
}

describe('a second connection of the same runner', () => {
  it('replaces the first, whose passes are sent again', async () => {
    const first = site.connect();
    await first.ready({ runner: 'twin' });
    const [runId] = site.enqueue();
    await first.next('invoke');
    site.work.onSettle = () => 'again';
    const second = site.connect();
    await second.ready({ runner: 'twin' });
    expect((await first.closed).reason).toContain('replaced');
    const again = await second.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    const lost = await site.work.settlements.next((each) => each.runId === runId);
    expect(lost.reply).toMatchObject({ kind: 'transport', socketLost: true });
    site.work.onSettle = () => 'released';
    second.answer(again);
    await site.work.settlements.next((each) => each.runId === runId && each.reply.kind === 'answer');
    await second.close();
  });

  it('does not affect a runner of the same id in another app', async () => {
    const [one, two] = [site.connect(), site.connect()];
    await one.ready({ runner: 'same', app: 'shop' });
    await two.ready({ runner: 'same', app: 'billing' });
    expect(site.dispatcher.stats().ready).toBe(2);
    await Promise.all([one.close(), two.close()]);
  });

  it('W1: replaces the first also when it connected to another process', async () => {
    const runner = site.connect();
    await runner.ready({ runner: 'moved' });
    await vi.waitFor(() => expect(site.dispatcher.stats().ready).toBe(1));
    site.registry.current.set('shop moved', elsewhere);
    tellOfNews();
    const { code } = await runner.closed;
    expect([code, runner.frames.all.at(-1)]).toEqual([4410, { type: 'error', error: replacedReason }]);
  });

  it('W1: is refused with 4410 if it says hello after a newer one', async () => {
    site.registry.current.set('shop late', elsewhere);
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'late', workflows: [{ name: 'order' }] });
    const { code } = await runner.closed;
    expect([code, runner.frames.all]).toEqual([4410, [{ type: 'error', error: replacedReason }]]);
    expect(site.dispatcher.stats().ready).toBe(0);
  });

  it('is registered again if the registry lost it, because 4410 would be final', async () => {
    const runner = site.connect();
    await runner.ready({ runner: 'forgotten' });
    await vi.waitFor(() => expect(site.dispatcher.stats().ready).toBe(1));
    const connection = site.registry.current.get('shop forgotten');
    site.registry.current.delete('shop forgotten');
    tellOfNews();
    await vi.waitFor(() => expect(site.registry.current.get('shop forgotten')).toEqual(connection));
    expect(site.dispatcher.stats().ready).toBe(1);
    await runner.close();
  });
});

describe('a socket that drops', () => {
  it('G2: has its passes sent to another runner at once', async () => {
    const [first, second] = [site.connect(), site.connect()];
    await first.ready({ runner: 'a', maxInFlight: 1 });
    const [runId] = site.enqueue();
    await first.next('invoke');
    await second.ready({ runner: 'b', maxInFlight: 1 });
    site.work.onSettle = () => 'again';
    first.vanish();
    const again = await second.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    site.work.onSettle = () => 'released';
    second.answer(again);
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
    await second.close();
  });

  it('has its passes released if no other runner is here', async () => {
    const runner = site.connect();
    await runner.ready();
    const [runId] = site.enqueue();
    await runner.next('invoke');
    site.work.onSettle = () => 'again';
    runner.vanish();
    await site.work.released.next((each) => each === runId);
    site.work.onSettle = () => 'released';
    expect(site.dispatcher.stats().held).toBe(0);
  });

  it('W2: is reported to the registry', async () => {
    const runner = site.connect();
    await runner.ready();
    const { connectionId } = site.registry.registrations.all.at(-1) ?? { connectionId: '' };
    await runner.close();
    await site.registry.disconnected.next((id) => id === connectionId);
  });

  it('loses no pass if it ends inside a frame', async () => {
    const runner = site.connect();
    await runner.ready();
    const [runId] = site.enqueue();
    const { id } = await runner.next('invoke');
    const text = Buffer.from(`{"type":"result","id":"${id}","status":200,"body":{}}`);
    const header = Buffer.from([0x81, 0x80 | 125, 0, 0, 0, 0]);
    (runner.ws as unknown as { _socket: import('node:net').Socket })._socket.write(
      Buffer.concat([header, text.subarray(0, 20)]),
    );
    runner.vanish();
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply).toMatchObject({ kind: 'transport', socketLost: true });
  });
});

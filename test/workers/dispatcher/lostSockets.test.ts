import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { replacedReason } from '../../../src/workers/dispatcher/gateway/closing.ts';
import { Scene } from './kit/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

/** A newer connection, to another process. */
const elsewhere = { dispatcherId: 'other', connectionId: 'other', connectionNo: 1_000_000 };

function tellOfNews(): void {
  const { latest } = scene.work;
  scene.work.latest = { ...latest, registryEpoch: latest.registryEpoch + 1 };
}

describe('a second connection of the same runner', () => {
  it('replaces the first, whose passes are sent again', async () => {
    const first = scene.connect();
    await first.ready({ runner: 'twin' });
    const [runId] = scene.enqueue();
    await first.next('invoke');
    scene.work.onSettle = () => 'again';
    const second = scene.connect();
    await second.ready({ runner: 'twin' });
    expect((await first.closed).reason).toContain('replaced');
    const again = await second.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    const lost = await scene.work.settlements.next((each) => each.runId === runId);
    expect(lost.reply).toMatchObject({ kind: 'transport', socketLost: true });
    scene.work.onSettle = () => 'released';
    second.answer(again);
    await scene.work.settlements.next((each) => each.runId === runId && each.reply.kind === 'answer');
    await second.close();
  });

  it('leaves a runner of the same id in another app alone', async () => {
    const [one, two] = [scene.connect(), scene.connect()];
    await one.ready({ runner: 'same', app: 'shop' });
    await two.ready({ runner: 'same', app: 'billing' });
    expect(scene.dispatcher.stats().ready).toBe(2);
    await Promise.all([one.close(), two.close()]);
  });

  it('replaces the first also when it connected to another process (W1)', async () => {
    const runner = scene.connect();
    await runner.ready({ runner: 'moved' });
    await vi.waitFor(() => expect(scene.dispatcher.stats().ready).toBe(1));
    scene.registry.current.set('shop moved', elsewhere);
    tellOfNews();
    const { code } = await runner.closed;
    expect([code, runner.frames.all.at(-1)]).toEqual([4410, { type: 'error', error: replacedReason }]);
  });

  it('is refused with 4410 if it says hello after a newer one (W1)', async () => {
    scene.registry.current.set('shop late', elsewhere);
    const runner = scene.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'late', workflows: [{ name: 'order' }] });
    const { code } = await runner.closed;
    expect([code, runner.frames.all]).toEqual([4410, [{ type: 'error', error: replacedReason }]]);
    expect(scene.dispatcher.stats().ready).toBe(0);
  });

  it('is registered again if the registry lost it: a runner that is told it was replaced stays away', async () => {
    const runner = scene.connect();
    await runner.ready({ runner: 'forgotten' });
    await vi.waitFor(() => expect(scene.dispatcher.stats().ready).toBe(1));
    const connection = scene.registry.current.get('shop forgotten');
    scene.registry.current.delete('shop forgotten');
    tellOfNews();
    await vi.waitFor(() => expect(scene.registry.current.get('shop forgotten')).toEqual(connection));
    expect(scene.dispatcher.stats().ready).toBe(1);
    await runner.close();
  });
});

describe('a socket that drops', () => {
  it('has its passes sent to another runner at once', async () => {
    const [first, second] = [scene.connect(), scene.connect()];
    await first.ready({ runner: 'a', maxInFlight: 1 });
    const [runId] = scene.enqueue();
    await first.next('invoke');
    await second.ready({ runner: 'b', maxInFlight: 1 });
    scene.work.onSettle = () => 'again';
    first.vanish();
    const again = await second.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    scene.work.onSettle = () => 'released';
    second.answer(again);
    await vi.waitFor(() => expect(scene.dispatcher.stats().held).toBe(0));
    await second.close();
  });

  it('has its passes handed back where no other runner is here', async () => {
    const runner = scene.connect();
    await runner.ready();
    const [runId] = scene.enqueue();
    await runner.next('invoke');
    scene.work.onSettle = () => 'again';
    runner.vanish();
    await scene.work.released.next((each) => each === runId);
    scene.work.onSettle = () => 'released';
    expect(scene.dispatcher.stats().held).toBe(0);
  });

  it('is told to the registry (W2)', async () => {
    const runner = scene.connect();
    await runner.ready();
    const { connectionId } = scene.registry.registrations.all.at(-1) ?? { connectionId: '' };
    await runner.close();
    await scene.registry.disconnected.next((id) => id === connectionId);
  });

  it('loses nothing when it dies inside a frame', async () => {
    const runner = scene.connect();
    await runner.ready();
    const [runId] = scene.enqueue();
    const { id } = await runner.next('invoke');
    const text = Buffer.from(`{"type":"result","id":"${id}","status":200,"body":{}}`);
    const header = Buffer.from([0x81, 0x80 | 125, 0, 0, 0, 0]);
    (runner.ws as unknown as { _socket: import('node:net').Socket })._socket.write(
      Buffer.concat([header, text.subarray(0, 20)]),
    );
    runner.vanish();
    const { reply } = await scene.work.settlements.next((each) => each.runId === runId);
    expect(reply).toMatchObject({ kind: 'transport', socketLost: true });
  });
});

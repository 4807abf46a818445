import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Scene } from './kit/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

describe('a runner that is closing', () => {
  it('gets nothing more, and has taken what it had begun', async () => {
    const [closing, other] = [scene.connect(), scene.connect()];
    await closing.ready({ runner: 'closing' });
    const [begun] = scene.enqueue();
    const invoke = await closing.next('invoke');
    closing.send({ type: 'drain', inFlight: [invoke.id] });
    const { connectionId } = scene.registry.registrations.all.at(-1) ?? { connectionId: '' };
    await scene.registry.disconnected.next((id) => id === connectionId);
    expect(scene.dispatcher.stats().ready).toBe(0);
    await other.ready({ runner: 'other' });
    const [next] = scene.enqueue();
    const elsewhere = await other.next('invoke');
    expect(elsewhere.request.ctx.runId).toBe(next);
    closing.answer(invoke);
    other.answer(elsewhere);
    const { reply } = await scene.work.settlements.next((each) => each.runId === begun);
    expect(reply).toMatchObject({ kind: 'answer', status: 200 });
    await scene.work.settlements.next((each) => each.runId === next);
    await Promise.all([closing.close(), other.close()]);
  });

  it('P2, P4: has the invokes that it did not begin sent to another at once, and its own answers to them ignored', async () => {
    const [closing, other] = [scene.connect(), scene.connect()];
    await closing.ready({ runner: 'closing' });
    const runIds = scene.enqueue(3);
    const invokes = [await closing.next('invoke'), await closing.next('invoke'), await closing.next('invoke')];
    await other.ready({ runner: 'other' });
    // Two of them were on their way when it said so.
    closing.send({ type: 'drain', inFlight: [invokes[1]?.id] });
    const again = [await other.next('invoke'), await other.next('invoke')];
    expect(again.map(({ request }) => request.ctx.runId)).toEqual([runIds[0], runIds[2]]);
    for (const invoke of invokes) closing.answer(invoke, 200, { data: 'closing' });
    await scene.work.settlements.next(({ runId }) => runId === runIds[1]);
    for (const invoke of again) other.answer(invoke, 200, { data: 'other' });
    for (const runId of [runIds[0], runIds[2]]) {
      const { reply } = await scene.work.settlements.next((each) => each.runId === runId);
      expect(reply).toMatchObject({ body: '{"data":"other"}' });
    }
    await Promise.all([closing.close(), other.close()]);
  });

  it('has that handed back where no other runner is here, and nothing counted against it', async () => {
    const closing = scene.connect();
    await closing.ready();
    const [runId] = scene.enqueue();
    await closing.next('invoke');
    closing.send({ type: 'drain', inFlight: [] });
    await scene.work.released.next((each) => each === runId);
    expect(scene.work.settlements.all.some((each) => each.runId === runId)).toBe(false);
    expect(scene.dispatcher.stats()).toMatchObject({ held: 0, invoked: 0 });
    await closing.close();
  });

  it('without a list is waited for with all that it has', async () => {
    const closing = scene.connect();
    await closing.ready();
    const [runId] = scene.enqueue();
    const invoke = await closing.next('invoke');
    closing.send({ type: 'drain' });
    closing.send({ type: 'drain', inFlight: null });
    await vi.waitFor(() => expect(scene.dispatcher.stats().ready).toBe(0));
    closing.answer(invoke);
    const { reply } = await scene.work.settlements.next((each) => each.runId === runId);
    expect(reply.kind).toBe('answer');
    await closing.close();
  });

  it('has a pass that goes on sent elsewhere', async () => {
    const [closing, other] = [scene.connect(), scene.connect()];
    await closing.ready({ runner: 'closing' });
    const [runId] = scene.enqueue();
    const invoke = await closing.next('invoke');
    await other.ready({ runner: 'other' });
    closing.send({ type: 'drain', inFlight: [invoke.id] });
    scene.work.onSettle = () => 'again';
    closing.answer(invoke, 206, { opcodes: [], logs: [] });
    const again = await other.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    scene.work.onSettle = () => 'released';
    other.answer(again);
    await vi.waitFor(() => expect(scene.dispatcher.stats().held).toBe(0));
    await Promise.all([closing.close(), other.close()]);
  });

  it('is not entered anew, and leaves its place to who comes under its id', async () => {
    const closing = scene.connect();
    await closing.ready({ runner: 'same' });
    const [runId] = scene.enqueue();
    const invoke = await closing.next('invoke');
    closing.send({ type: 'drain', inFlight: [invoke.id] });
    await vi.waitFor(() => expect(scene.dispatcher.stats().ready).toBe(0));
    const next = scene.connect();
    await next.ready({ runner: 'same' });
    scene.work.latest = { ...scene.work.latest, registryEpoch: scene.work.latest.registryEpoch + 1 };
    scene.work.isAlive = false;
    await scene.registry.registrations.next(({ dispatcherId }) => dispatcherId !== 'dispatcher-1');
    expect(scene.dispatcher.stats()).toMatchObject({ ready: 1, sockets: 2 });
    closing.answer(invoke);
    await closing.close();
    expect(runId).toBeDefined();
    await next.close();
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { Scene } from './kit/scene.ts';

let scene: Scene;
afterEach(() => scene.close());

describe('stop', () => {
  it('claims no more, tells sockets to drain, lets passes finish, and closes with 1012', async () => {
    scene = await Scene.open({ options: { drainMs: 5_000 } });
    const runner = scene.connect();
    await runner.ready({ maxInFlight: 1 });
    const [runId] = scene.enqueue(2);
    const invoke = await runner.next('invoke');
    const stopped = scene.dispatcher.stop();
    await runner.next('drain');
    runner.answer(invoke);
    await scene.work.settlements.next((each) => each.runId === runId && each.reply.kind === 'answer');
    expect((await runner.closed).code).toBe(1012);
    await stopped;
    expect(runner.frames.all.filter(({ type }) => type === 'invoke')).toHaveLength(1);
    expect(scene.work.retired).toEqual(['dispatcher-1']);
    await scene.registry.disconnected.next();
  });

  it('ends no socket for having been replaced: its runner was told to connect elsewhere (W1)', async () => {
    scene = await Scene.open({ options: { drainMs: 5_000 } });
    const runner = scene.connect();
    await runner.ready({ runner: 'moving' });
    const [runId] = scene.enqueue();
    const invoke = await runner.next('invoke');
    // The look for replaced runners is under way when the stop begins.
    let look: (() => void) | undefined;
    scene.registry.httpRunners = () =>
      new Promise((resolve) => {
        look = () => resolve([]);
      });
    scene.work.latest = { ...scene.work.latest, registryEpoch: scene.work.latest.registryEpoch + 1 };
    await vi.waitFor(() => expect(look).toBeDefined());
    const stopped = scene.dispatcher.stop();
    await runner.next('drain');
    const elsewhere = { dispatcherId: 'other', connectionId: 'other', connectionNo: 1_000_000 };
    scene.registry.current.set('shop moving', elsewhere);
    look?.();
    runner.answer(invoke);
    const { reply } = await scene.work.settlements.next((each) => each.runId === runId);
    expect(reply.kind).toBe('answer');
    await stopped;
    expect((await runner.closed).code).toBe(1012);
  });

  it('P3: releases the run of a pass that would go on, instead of invoking again', async () => {
    scene = await Scene.open({ options: { drainMs: 5_000 } });
    const runner = scene.connect();
    await runner.ready();
    const [runId] = scene.enqueue();
    const invoke = await runner.next('invoke');
    scene.work.onSettle = () => 'again';
    const stopped = scene.dispatcher.stop();
    await runner.next('drain');
    runner.answer(invoke);
    await scene.work.released.next((each) => each === runId);
    await stopped;
  });

  it('P3: releases the runs that no runner answered within the bound', async () => {
    scene = await Scene.open({ options: { drainMs: 50 } });
    const runner = scene.connect();
    await runner.ready();
    const [runId] = scene.enqueue();
    const { id } = await runner.next('invoke');
    const stopped = scene.dispatcher.stop();
    expect((await runner.next('cancel')).id).toBe(id);
    await scene.work.released.next((each) => each === runId);
    await stopped;
    expect(scene.dispatcher.stats()).toMatchObject({ held: 0, sockets: 0 });
  });

  it('D3: ends within its bound though nothing works any more', async () => {
    scene = await Scene.open({ options: { drainMs: 50 } });
    const runner = scene.connect();
    await runner.ready();
    scene.enqueue();
    await runner.next('invoke');
    const never = new Promise<never>(() => undefined);
    scene.work.onRelease = () => never;
    scene.work.retire = () => never;
    scene.work.tick = () => never;
    scene.registry.disconnect = () => never;
    runner.ws.pause();
    await scene.dispatcher.stop();
    expect(scene.dispatcher.stats().sockets).toBe(0);
  });

  it('takes back a runner that was being entered when it began, before it leaves (W2)', async () => {
    scene = await Scene.open();
    let enter: (() => void) | undefined;
    scene.registry.onRegister = () =>
      new Promise((resolve) => {
        enter = resolve;
      });
    let told: readonly string[] = [];
    scene.work.retire = () => {
      told = [...scene.registry.disconnected.all];
      return Promise.resolve();
    };
    const runner = scene.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'late', workflows: [] });
    await vi.waitFor(() => expect(enter).toBeDefined());
    const stopped = scene.dispatcher.stop();
    expect((await runner.closed).code).toBe(1012);
    enter?.();
    await stopped;
    expect(told).toHaveLength(1);
    expect(told).toEqual(scene.registry.registrations.all.map(({ connectionId }) => connectionId));
  });

  it('refuses new sockets with 503', async () => {
    scene = await Scene.open();
    await scene.dispatcher.stop();
    await expect(scene.connect().opened()).rejects.toThrow('503');
  });

  it('is the same stop, however often it is called', async () => {
    scene = await Scene.open();
    await Promise.all([scene.dispatcher.stop(), scene.dispatcher.stop()]);
    expect(scene.work.retired).toHaveLength(1);
  });
});

describe('a dispatcher that others found dead', () => {
  it('enters a runner under its new id that was being entered under the old one', async () => {
    scene = await Scene.open();
    let proceed = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const registering = vi.fn(() => held);
    scene.registry.onRegister = registering;
    const runner = scene.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'between', workflows: [{ name: 'order' }] });
    await vi.waitFor(() => expect(registering).toHaveBeenCalled());
    scene.work.isAlive = false;
    await vi.waitFor(() => expect(scene.work.retired).toEqual(['dispatcher-1']));
    await vi.waitFor(() => expect(scene.work.isAlive).toBe(true));
    proceed();
    await runner.next('ready');
    // A registration is news, so a look follows it.
    const { latest } = scene.work;
    scene.work.latest = { ...latest, registryEpoch: latest.registryEpoch + 1 };
    const [first, again] = [await scene.registry.registrations.next(), await scene.registry.registrations.next()];
    expect([first, again]).toMatchObject([
      { dispatcherId: 'dispatcher-1', keepsDefinitions: false },
      { dispatcherId: 'dispatcher-2', keepsDefinitions: true, connectionId: first.connectionId },
    ]);
  });

  it('D1: drops its passes, takes a new id, registers its runners again, and continues', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready({ runner: 'r' });
    const [stale] = scene.enqueue();
    const old = await runner.next('invoke');
    scene.work.isAlive = false;
    expect((await runner.next('cancel')).id).toBe(old.id);
    const again = await scene.registry.registrations.next(({ dispatcherId }) => dispatcherId === 'dispatcher-2');
    expect([scene.registry.registrations.all[0]?.keepsDefinitions, again.keepsDefinitions]).toEqual([false, true]);
    // Whatever a late claim leased to the old id is freed.
    expect(scene.work.retired).toEqual(['dispatcher-1']);
    runner.answer(old);
    const [fresh] = scene.enqueue();
    const invoke = await runner.next('invoke');
    expect(invoke.request.ctx.runId).toBe(fresh);
    runner.answer(invoke);
    await scene.work.settlements.next((each) => each.runId === fresh);
    expect(scene.work.settlements.all.some((each) => each.runId === stale)).toBe(false);
    await vi.waitFor(() => expect(scene.dispatcher.stats().held).toBe(0));
  });
});

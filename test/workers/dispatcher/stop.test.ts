import { afterEach, describe, expect, it, vi } from 'vitest';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
afterEach(() => site.close());

describe('stop', () => {
  it('stops claiming, drains sockets, lets passes finish, and closes with 1012', async () => {
    site = await ScriptedSite.open({ options: { drainMs: 5_000 } });
    const runner = site.connect();
    await runner.ready({ maxInFlight: 1 });
    const [runId] = site.enqueue(2);
    const invoke = await runner.next('invoke');
    const stopped = site.dispatcher.stop();
    await runner.next('drain');
    runner.answer(invoke);
    await site.work.settlements.next((each) => each.runId === runId && each.reply.kind === 'answer');
    expect((await runner.closed).code).toBe(1012);
    await stopped;
    expect(runner.frames.all.filter(({ type }) => type === 'invoke')).toHaveLength(1);
    expect(site.work.retired).toEqual(['dispatcher-1']);
    await site.registry.disconnected.next();
  });

  it('W1: closes no socket as replaced after its runner was asked to connect elsewhere', async () => {
    site = await ScriptedSite.open({ options: { drainMs: 5_000 } });
    const runner = site.connect();
    await runner.ready({ runner: 'moving' });
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    // The look for replaced runners is in progress when the stop begins.
    let look: (() => void) | undefined;
    site.registry.httpRunners = () =>
      new Promise((resolve) => {
        look = () => resolve([]);
      });
    site.work.latest = { ...site.work.latest, registryEpoch: site.work.latest.registryEpoch + 1 };
    await vi.waitFor(() => expect(look).toBeDefined());
    const stopped = site.dispatcher.stop();
    await runner.next('drain');
    const elsewhere = { dispatcherId: 'other', connectionId: 'other', connectionNo: 1_000_000 };
    site.registry.current.set('shop moving', elsewhere);
    look?.();
    runner.answer(invoke);
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply.kind).toBe('answer');
    await stopped;
    expect((await runner.closed).code).toBe(1012);
  });

  it('P3: releases the run of a pass that would continue, instead of invoking again', async () => {
    site = await ScriptedSite.open({ options: { drainMs: 5_000 } });
    const runner = site.connect();
    await runner.ready();
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    site.work.onSettle = () => 'again';
    const stopped = site.dispatcher.stop();
    await runner.next('drain');
    runner.answer(invoke);
    await site.work.released.next((each) => each === runId);
    await stopped;
  });

  it('P3: releases the runs without an answer within the time limit', async () => {
    site = await ScriptedSite.open({ options: { drainMs: 50 } });
    const runner = site.connect();
    await runner.ready();
    const [runId] = site.enqueue();
    const { id } = await runner.next('invoke');
    const stopped = site.dispatcher.stop();
    expect((await runner.next('cancel')).id).toBe(id);
    await site.work.released.next((each) => each === runId);
    await stopped;
    expect(site.dispatcher.stats()).toMatchObject({ held: 0, sockets: 0 });
  });

  it('D3: ends in time even if no call returns any more', async () => {
    site = await ScriptedSite.open({ options: { drainMs: 50 } });
    const runner = site.connect();
    await runner.ready();
    site.enqueue();
    await runner.next('invoke');
    const never = new Promise<never>(() => undefined);
    site.work.onRelease = () => never;
    site.work.retire = () => never;
    site.work.tick = () => never;
    site.registry.disconnect = () => never;
    runner.ws.pause();
    await site.dispatcher.stop();
    expect(site.dispatcher.stats().sockets).toBe(0);
  });

  it('W2: reports a runner that was being registered as closed, before the dispatcher retires', async () => {
    site = await ScriptedSite.open();
    let enter: (() => void) | undefined;
    site.registry.onRegister = () =>
      new Promise((resolve) => {
        enter = resolve;
      });
    let told: readonly string[] = [];
    site.work.retire = () => {
      told = [...site.registry.disconnected.all];
      return Promise.resolve();
    };
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'late', workflows: [] });
    await vi.waitFor(() => expect(enter).toBeDefined());
    const stopped = site.dispatcher.stop();
    expect((await runner.closed).code).toBe(1012);
    enter?.();
    await stopped;
    expect(told).toHaveLength(1);
    expect(told).toEqual(site.registry.registrations.all.map(({ connectionId }) => connectionId));
  });

  it('refuses new sockets with 503', async () => {
    site = await ScriptedSite.open();
    await site.dispatcher.stop();
    await expect(site.connect().opened()).rejects.toThrow('503');
  });

  it('is idempotent', async () => {
    site = await ScriptedSite.open();
    await Promise.all([site.dispatcher.stop(), site.dispatcher.stop()]);
    expect(site.work.retired).toHaveLength(1);
  });
});

describe('a dispatcher that others found dead', () => {
  it('registers a runner under its new id that was being registered under the old one', async () => {
    site = await ScriptedSite.open();
    let proceed = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const registering = vi.fn(() => held);
    site.registry.onRegister = registering;
    const runner = site.connect();
    await runner.opened();
    runner.send({ type: 'hello', app: 'shop', runner: 'between', workflows: [{ name: 'order' }] });
    await vi.waitFor(() => expect(registering).toHaveBeenCalled());
    site.work.isAlive = false;
    await vi.waitFor(() => expect(site.work.retired).toEqual(['dispatcher-1']));
    await vi.waitFor(() => expect(site.work.isAlive).toBe(true));
    proceed();
    await runner.next('ready');
    // A registration is news, so a look follows it.
    const { latest } = site.work;
    site.work.latest = { ...latest, registryEpoch: latest.registryEpoch + 1 };
    const [first, again] = [await site.registry.registrations.next(), await site.registry.registrations.next()];
    expect([first, again]).toMatchObject([
      { dispatcherId: 'dispatcher-1', keepsDefinitions: false },
      { dispatcherId: 'dispatcher-2', keepsDefinitions: true, connectionId: first.connectionId },
    ]);
  });

  it('D1: drops its passes, takes a new id, registers its runners again, and continues', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready({ runner: 'r' });
    const [stale] = site.enqueue();
    const old = await runner.next('invoke');
    site.work.isAlive = false;
    expect((await runner.next('cancel')).id).toBe(old.id);
    const again = await site.registry.registrations.next(({ dispatcherId }) => dispatcherId === 'dispatcher-2');
    expect([site.registry.registrations.all[0]?.keepsDefinitions, again.keepsDefinitions]).toEqual([false, true]);
    // Whatever a late claim leased to the old id is freed.
    expect(site.work.retired).toEqual(['dispatcher-1']);
    runner.answer(old);
    const [fresh] = site.enqueue();
    const invoke = await runner.next('invoke');
    expect(invoke.request.ctx.runId).toBe(fresh);
    runner.answer(invoke);
    await site.work.settlements.next((each) => each.runId === fresh);
    expect(site.work.settlements.all.some((each) => each.runId === stale)).toBe(false);
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
  });
});

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
beforeAll(async () => {
  site = await ScriptedSite.open();
});
afterAll(() => site.close());

describe('a runner that is closing', () => {
  it('gets no new pass, and its begun passes are committed', async () => {
    const [closing, other] = [site.connect(), site.connect()];
    await closing.ready({ runner: 'closing' });
    const [begun] = site.enqueue();
    const invoke = await closing.next('invoke');
    closing.send({ type: 'drain', inFlight: [invoke.id] });
    const { connectionId } = site.registry.registrations.all.at(-1) ?? { connectionId: '' };
    await site.registry.disconnected.next((id) => id === connectionId);
    expect(site.dispatcher.stats().ready).toBe(0);
    await other.ready({ runner: 'other' });
    const [next] = site.enqueue();
    const elsewhere = await other.next('invoke');
    expect(elsewhere.request.ctx.runId).toBe(next);
    closing.answer(invoke);
    other.answer(elsewhere);
    const { reply } = await site.work.settlements.next((each) => each.runId === begun);
    expect(reply).toMatchObject({ kind: 'answer', status: 200 });
    await site.work.settlements.next((each) => each.runId === next);
    await Promise.all([closing.close(), other.close()]);
  });

  it('P2, P4: has the invokes that it did not begin sent to another at once, and its own answers to them ignored', async () => {
    const [closing, other] = [site.connect(), site.connect()];
    await closing.ready({ runner: 'closing' });
    const runIds = site.enqueue(3);
    const invokes = [await closing.next('invoke'), await closing.next('invoke'), await closing.next('invoke')];
    await other.ready({ runner: 'other' });
    // Two of them were sent before the runner said `drain`.
    closing.send({ type: 'drain', inFlight: [invokes[1]?.id] });
    const again = [await other.next('invoke'), await other.next('invoke')];
    expect(again.map(({ request }) => request.ctx.runId)).toEqual([runIds[0], runIds[2]]);
    for (const invoke of invokes) closing.answer(invoke, 200, { data: 'closing' });
    await site.work.settlements.next(({ runId }) => runId === runIds[1]);
    for (const invoke of again) other.answer(invoke, 200, { data: 'other' });
    for (const runId of [runIds[0], runIds[2]]) {
      const { reply } = await site.work.settlements.next((each) => each.runId === runId);
      expect(reply).toMatchObject({ body: '{"data":"other"}' });
    }
    await Promise.all([closing.close(), other.close()]);
  });

  it('has its other passes released if no other runner is here, without a counted attempt', async () => {
    const closing = site.connect();
    await closing.ready();
    const [runId] = site.enqueue();
    await closing.next('invoke');
    closing.send({ type: 'drain', inFlight: [] });
    await site.work.released.next((each) => each === runId);
    expect(site.work.settlements.all.some((each) => each.runId === runId)).toBe(false);
    expect(site.dispatcher.stats()).toMatchObject({ held: 0, invoked: 0 });
    await closing.close();
  });

  it('without a list is expected to answer all its passes', async () => {
    const closing = site.connect();
    await closing.ready();
    const [runId] = site.enqueue();
    const invoke = await closing.next('invoke');
    closing.send({ type: 'drain' });
    closing.send({ type: 'drain', inFlight: null });
    await vi.waitFor(() => expect(site.dispatcher.stats().ready).toBe(0));
    closing.answer(invoke);
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply.kind).toBe('answer');
    await closing.close();
  });

  it('has a continuing pass sent elsewhere', async () => {
    const [closing, other] = [site.connect(), site.connect()];
    await closing.ready({ runner: 'closing' });
    const [runId] = site.enqueue();
    const invoke = await closing.next('invoke');
    await other.ready({ runner: 'other' });
    closing.send({ type: 'drain', inFlight: [invoke.id] });
    site.work.onSettle = () => 'again';
    closing.answer(invoke, 206, { opcodes: [], logs: [] });
    const again = await other.next('invoke');
    expect(again.request.ctx.runId).toBe(runId);
    site.work.onSettle = () => 'released';
    other.answer(again);
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
    await Promise.all([closing.close(), other.close()]);
  });

  it('is not registered again, and does not displace a newer connection of its id', async () => {
    const closing = site.connect();
    await closing.ready({ runner: 'same' });
    const [runId] = site.enqueue();
    const invoke = await closing.next('invoke');
    closing.send({ type: 'drain', inFlight: [invoke.id] });
    await vi.waitFor(() => expect(site.dispatcher.stats().ready).toBe(0));
    const next = site.connect();
    await next.ready({ runner: 'same' });
    site.work.latest = { ...site.work.latest, registryEpoch: site.work.latest.registryEpoch + 1 };
    site.work.isAlive = false;
    await site.registry.registrations.next(({ dispatcherId }) => dispatcherId !== 'dispatcher-1');
    expect(site.dispatcher.stats()).toMatchObject({ ready: 1, sockets: 2 });
    closing.answer(invoke);
    await closing.close();
    expect(runId).toBeDefined();
    await next.close();
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
afterEach(() => site.close());

describe('routing', () => {
  it('sends each pass of an anycast run to the least loaded capable runner', async () => {
    site = await ScriptedSite.open();
    const runners = [site.connect(), site.connect(), site.connect()];
    await Promise.all(runners.map((runner, i) => runner.ready({ runner: `r${i}` })));
    site.enqueue(9);
    await vi.waitFor(() => expect(site.dispatcher.stats().invoked).toBe(9));
    for (const runner of runners) {
      for (let i = 0; i < 3; i++) runner.answer(await runner.next('invoke'));
    }
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
  });

  it('sends a run only to runners of its app that serve its workflow', async () => {
    site = await ScriptedSite.open();
    const [capable, otherWorkflow, otherApp] = [site.connect(), site.connect(), site.connect()];
    await otherWorkflow.ready({ runner: 'b', workflows: [{ name: 'refund' }] });
    await otherApp.ready({ runner: 'c', app: 'billing' });
    await capable.ready({ runner: 'a' });
    site.enqueue(3);
    for (let i = 0; i < 3; i++) capable.answer(await capable.next('invoke'));
    await vi.waitFor(() => expect(site.work.settlements.all).toHaveLength(3));
    for (const runner of [otherWorkflow, otherApp]) {
      expect(runner.frames.all.map(({ type }) => type)).toEqual(['ready']);
    }
  });

  it('sends a pinned run only to its runner', async () => {
    site = await ScriptedSite.open();
    const [pinned, other] = [site.connect(), site.connect()];
    await Promise.all([pinned.ready({ runner: 'gpu' }), other.ready({ runner: 'cpu' })]);
    site.enqueue(4, { runner: 'gpu' });
    for (let i = 0; i < 4; i++) pinned.answer(await pinned.next('invoke'));
    await vi.waitFor(() => expect(site.work.settlements.all).toHaveLength(4));
    expect(other.frames.all.some(({ type }) => type === 'invoke')).toBe(false);
  });

  it('does not claim from lanes that no runner here takes', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready();
    site.enqueue(1, { workflow: 'refund' });
    site.enqueue(1, { runner: 'elsewhere' });
    site.enqueue(1);
    runner.answer(await runner.next('invoke'));
    await vi.waitFor(() => expect(site.work.settlements.all).toHaveLength(1));
    const lanes = new Set(site.work.claims.flat().map(({ laneId }) => laneId));
    expect([...lanes]).toEqual([site.lanes.id(site.projectId)]);
  });

  it('finds runs that were pinned to its runner before it connected, and later by another process', async () => {
    site = await ScriptedSite.open();
    const before = site.lanes.id(site.projectId, { runner: 'gpu' });
    site.work.enqueue(before);
    const runner = site.connect();
    await runner.ready({ runner: 'gpu', workflows: [{ name: 'order' }, { name: 'refund' }] });
    runner.answer(await runner.next('invoke'));
    const after = site.lanes.id(site.projectId, { runner: 'gpu', workflow: 'refund' });
    site.work.enqueue(after);
    site.work.latest = { ...site.work.latest, newestLane: after };
    runner.answer(await runner.next('invoke'));
  });

  it('finds runs that were pinned in a transaction that ended after that of a newer lane', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready({ runner: 'gpu' });
    const pinnedTo = vi.spyOn(site.lanes, 'pinnedTo').mockResolvedValue(new Map());
    const older = site.lanes.id(site.projectId, { runner: 'gpu' });
    const newer = site.lanes.id(site.projectId, { runner: 'other' });
    site.work.latest = { ...site.work.latest, newestLane: newer };
    await vi.waitFor(() => expect(pinnedTo).toHaveBeenCalled());
    // The newer lane is learned before the older one is committed.
    await new Promise((resolve) => setImmediate(resolve));
    pinnedTo.mockRestore();
    site.work.enqueue(older);
    runner.answer(await runner.next('invoke'));
  });

  it('looks again for the lanes of a hint that could not be looked up', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready({ runner: 'gpu' });
    const describes = vi.spyOn(site.lanes, 'describe').mockRejectedValueOnce(new Error('the database is away'));
    site.enqueue(1, { runner: 'gpu' });
    runner.answer(await runner.next('invoke'));
    expect(describes).toHaveBeenCalledTimes(2);
  });
});

describe('claiming', () => {
  it('C2: needs no hint: polling finds ready runs', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready();
    const laneId = site.lanes.id(site.projectId);
    site.work.enqueue(laneId);
    site.work.latest = { ...site.work.latest, readyLanes: [laneId] };
    runner.answer(await runner.next('invoke'));
  });

  it('C3: takes no more runs than the runners here have slots for', async () => {
    site = await ScriptedSite.open();
    const [one, two] = [site.connect(), site.connect()];
    await one.ready({ runner: 'a', maxInFlight: 3 });
    await two.ready({ runner: 'b', maxInFlight: 2 });
    site.enqueue(20);
    await vi.waitFor(() => expect(site.dispatcher.stats().invoked).toBe(5));
    expect(site.work.ready.get(site.lanes.id(site.projectId))).toHaveLength(15);
  });

  it('continues for one runner while passes wait for another that was fast and has stopped answering', async () => {
    site = await ScriptedSite.open({ options: { maxWaiting: 4 } });
    const [stalled, idle] = [site.connect(), site.connect()];
    await stalled.ready({ runner: 'a', maxInFlight: 4 });
    await idle.ready({ runner: 'b', maxInFlight: 4, workflows: [{ name: 'refund' }] });
    // Commits that take longer than answers: more is claimed than there are slots.
    site.work.onSettle = () => new Promise((resolve) => setTimeout(() => resolve('released'), 100));
    site.enqueue(4);
    for (let i = 0; i < 4; i++) stalled.answer(await stalled.next('invoke'));
    await vi.waitFor(() => expect(site.dispatcher.stats().held).toBe(0));
    site.enqueue(40);
    await vi.waitFor(() => expect(site.dispatcher.stats().waiting).toBeGreaterThan(0));
    site.enqueue(1, { workflow: 'refund' });
    idle.answer(await idle.next('invoke'));
    expect(site.dispatcher.stats().waiting).toBeLessThan(4);
  });

  it('C4: gives the slots of a runner to the first runs of its lane group, whatever their lanes', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready({ maxInFlight: 4, workflows: [{ name: 'order' }, { name: 'refund' }] });
    const lanes = ['order', 'refund'].map((workflow) => site.lanes.id(site.projectId, { workflow }));
    const [orders = 0, refunds = 0] = lanes;
    site.work.enqueue(refunds, 3);
    const others = site.work.enqueue(orders, 100);
    site.engine.bus.emit('work.ready', { laneIds: lanes });
    await vi.waitFor(() => expect(site.dispatcher.stats().invoked).toBe(4));
    expect(site.work.ready.get(refunds)).toEqual([]);
    expect(site.work.ready.get(orders)).toEqual(others.slice(1));
    // The next one that comes to the other lane is the last in line.
    site.work.enqueue(refunds, 1);
    site.engine.bus.emit('work.ready', { laneIds: [refunds] });
    for (let i = 0; i < 4; i++) runner.answer(await runner.next('invoke'));
    for (let i = 0; i < 4; i++) await runner.next('invoke');
    expect(site.work.ready.get(refunds)).toHaveLength(1);
  });

  it('C1: merges simultaneous hints into one claim', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready();
    await vi.waitFor(() => expect(site.work.claims.length).toBeGreaterThan(0));
    const before = site.work.claims.length;
    for (let i = 0; i < 50; i++) site.enqueue();
    for (let i = 0; i < 50; i++) runner.answer(await runner.next('invoke'));
    expect(site.work.claims.length - before).toBeLessThanOrEqual(2);
  });

  it('C2: continues after a failure of the database', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready();
    let failures = 3;
    site.work.onClaim = () => {
      if (failures-- > 0) throw new Error('the database is away');
    };
    site.enqueue();
    runner.answer(await runner.next('invoke'));
    expect(failures).toBeLessThan(0);
  });

  it('sends no claim without a hint', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready({ maxInFlight: 1 });
    site.enqueue(3);
    await runner.next('invoke');
    const before = site.work.claims.length;
    // Saturated, with work left: it must not spin.
    await delay(50);
    expect(site.work.claims.length).toBe(before);
  });
});

describe('an invoke', () => {
  it('P2: that times out counts as a transport failure, and its late answer is ignored', async () => {
    site = await ScriptedSite.open({ settings: { invokeTimeoutMs: 100 } });
    const runner = site.connect();
    await runner.ready({ maxInFlight: 1 });
    const [runId] = site.enqueue();
    const invoke = await runner.next('invoke');
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply).toEqual({
      kind: 'transport',
      reason: 'no answer within 100 ms',
      socketLost: false,
      hasTimedOut: true,
    });
    runner.answer(invoke);
    await vi.waitFor(() => expect(site.dispatcher.stats()).toMatchObject({ ignoredAnswers: 1, timeouts: 1, held: 0 }));
  });

  it('that cannot be written counts as a transport failure', async () => {
    site = await ScriptedSite.open();
    const runner = site.connect();
    await runner.ready();
    site.work.invokeText = () => {
      throw new RangeError('Invalid string length');
    };
    const [runId] = site.enqueue();
    const { reply } = await site.work.settlements.next((each) => each.runId === runId);
    expect(reply).toMatchObject({ kind: 'transport', socketLost: false });
  });
});

describe('a pass that continues while all runners are busy', () => {
  it('waits for a slot here, in order, and is released after the timeout', async () => {
    site = await ScriptedSite.open({ options: { waitMs: 200 } });
    const [first, second] = [site.connect(), site.connect()];
    await first.ready({ runner: 'a', maxInFlight: 1 });
    const [moved] = site.enqueue();
    await first.next('invoke');
    await second.ready({ runner: 'b', maxInFlight: 1 });
    site.enqueue();
    const busy = await second.next('invoke');
    site.work.onSettle = ({ reply }) => (reply.kind === 'transport' ? 'again' : 'released');
    first.vanish();
    await vi.waitFor(() => expect(site.dispatcher.stats().waiting).toBe(1));
    await site.work.released.next((each) => each === moved);
    expect(site.dispatcher.stats().waiting).toBe(0);
    second.answer(busy);
  });

  it('is served first when a slot is free', async () => {
    site = await ScriptedSite.open();
    const [first, second] = [site.connect(), site.connect()];
    await first.ready({ runner: 'a', maxInFlight: 1 });
    const [moved] = site.enqueue();
    await first.next('invoke');
    await second.ready({ runner: 'b', maxInFlight: 1 });
    site.enqueue(3);
    const busy = await second.next('invoke');
    site.work.onSettle = ({ reply }) => (reply.kind === 'transport' ? 'again' : 'released');
    first.vanish();
    await vi.waitFor(() => expect(site.dispatcher.stats().waiting).toBe(1));
    second.answer(busy);
    expect((await second.next('invoke')).request.ctx.runId).toBe(moved);
  });
});

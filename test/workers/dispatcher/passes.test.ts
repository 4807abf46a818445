import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Scene } from './kit/scene.ts';

let scene: Scene;
afterEach(() => scene.close());

describe('routing', () => {
  it('sends each pass of an anycast run to the least loaded capable runner', async () => {
    scene = await Scene.open();
    const runners = [scene.connect(), scene.connect(), scene.connect()];
    await Promise.all(runners.map((runner, i) => runner.ready({ runner: `r${i}` })));
    scene.enqueue(9);
    await vi.waitFor(() => expect(scene.dispatcher.stats().invoked).toBe(9));
    for (const runner of runners) {
      for (let i = 0; i < 3; i++) runner.answer(await runner.next('invoke'));
    }
    await vi.waitFor(() => expect(scene.dispatcher.stats().held).toBe(0));
  });

  it('sends a run only to runners of its app that serve its workflow', async () => {
    scene = await Scene.open();
    const [capable, otherWorkflow, otherApp] = [scene.connect(), scene.connect(), scene.connect()];
    await otherWorkflow.ready({ runner: 'b', workflows: [{ name: 'refund' }] });
    await otherApp.ready({ runner: 'c', app: 'billing' });
    await capable.ready({ runner: 'a' });
    scene.enqueue(3);
    for (let i = 0; i < 3; i++) capable.answer(await capable.next('invoke'));
    await vi.waitFor(() => expect(scene.work.settlements.all).toHaveLength(3));
    for (const runner of [otherWorkflow, otherApp]) {
      expect(runner.frames.all.map(({ type }) => type)).toEqual(['ready']);
    }
  });

  it('sends a pinned run only to its runner', async () => {
    scene = await Scene.open();
    const [pinned, other] = [scene.connect(), scene.connect()];
    await Promise.all([pinned.ready({ runner: 'gpu' }), other.ready({ runner: 'cpu' })]);
    scene.enqueue(4, { runner: 'gpu' });
    for (let i = 0; i < 4; i++) pinned.answer(await pinned.next('invoke'));
    await vi.waitFor(() => expect(scene.work.settlements.all).toHaveLength(4));
    expect(other.frames.all.some(({ type }) => type === 'invoke')).toBe(false);
  });

  it('claims nothing of lanes that no runner here takes', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready();
    scene.enqueue(1, { workflow: 'refund' });
    scene.enqueue(1, { runner: 'elsewhere' });
    scene.enqueue(1);
    runner.answer(await runner.next('invoke'));
    await vi.waitFor(() => expect(scene.work.settlements.all).toHaveLength(1));
    const lanes = new Set(scene.work.claims.flat().map(({ laneId }) => laneId));
    expect([...lanes]).toEqual([scene.lanes.id(scene.projectId)]);
  });

  it('finds runs that were pinned to its runner before it came, and by another process after', async () => {
    scene = await Scene.open();
    const before = scene.lanes.id(scene.projectId, { runner: 'gpu' });
    scene.work.enqueue(before);
    const runner = scene.connect();
    await runner.ready({ runner: 'gpu', workflows: [{ name: 'order' }, { name: 'refund' }] });
    runner.answer(await runner.next('invoke'));
    const after = scene.lanes.id(scene.projectId, { runner: 'gpu', workflow: 'refund' });
    scene.work.enqueue(after);
    scene.work.latest = { ...scene.work.latest, newestLane: after };
    runner.answer(await runner.next('invoke'));
  });

  it('finds runs that were pinned in a transaction that ended after that of a newer lane', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready({ runner: 'gpu' });
    const pinnedTo = vi.spyOn(scene.lanes, 'pinnedTo').mockResolvedValue(new Map());
    const older = scene.lanes.id(scene.projectId, { runner: 'gpu' });
    const newer = scene.lanes.id(scene.projectId, { runner: 'other' });
    scene.work.latest = { ...scene.work.latest, newestLane: newer };
    await vi.waitFor(() => expect(pinnedTo).toHaveBeenCalled());
    // It is taken in before the older one is committed.
    await new Promise((resolve) => setImmediate(resolve));
    pinnedTo.mockRestore();
    scene.work.enqueue(older);
    runner.answer(await runner.next('invoke'));
  });

  it('looks again for the lanes of a hint that could not be looked up', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready({ runner: 'gpu' });
    const describes = vi.spyOn(scene.lanes, 'describe').mockRejectedValueOnce(new Error('the database is away'));
    scene.enqueue(1, { runner: 'gpu' });
    runner.answer(await runner.next('invoke'));
    expect(describes).toHaveBeenCalledTimes(2);
  });
});

describe('claiming', () => {
  it('C2: needs no hint: polling finds ready runs', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready();
    const laneId = scene.lanes.id(scene.projectId);
    scene.work.enqueue(laneId);
    scene.work.latest = { ...scene.work.latest, readyLanes: [laneId] };
    runner.answer(await runner.next('invoke'));
  });

  it('C3: takes no more runs than the runners here have slots for', async () => {
    scene = await Scene.open();
    const [one, two] = [scene.connect(), scene.connect()];
    await one.ready({ runner: 'a', maxInFlight: 3 });
    await two.ready({ runner: 'b', maxInFlight: 2 });
    scene.enqueue(20);
    await vi.waitFor(() => expect(scene.dispatcher.stats().invoked).toBe(5));
    expect(scene.work.ready.get(scene.lanes.id(scene.projectId))).toHaveLength(15);
  });

  it('goes on for one runner while passes wait for another, fast once, that answers nothing any more', async () => {
    scene = await Scene.open({ options: { maxWaiting: 4 } });
    const [stalled, idle] = [scene.connect(), scene.connect()];
    await stalled.ready({ runner: 'a', maxInFlight: 4 });
    await idle.ready({ runner: 'b', maxInFlight: 4, workflows: [{ name: 'refund' }] });
    // Commits that take longer than answers: more is claimed than there are slots.
    scene.work.onSettle = () => new Promise((resolve) => setTimeout(() => resolve('released'), 100));
    scene.enqueue(4);
    for (let i = 0; i < 4; i++) stalled.answer(await stalled.next('invoke'));
    await vi.waitFor(() => expect(scene.dispatcher.stats().held).toBe(0));
    scene.enqueue(40);
    await vi.waitFor(() => expect(scene.dispatcher.stats().waiting).toBeGreaterThan(0));
    scene.enqueue(1, { workflow: 'refund' });
    idle.answer(await idle.next('invoke'));
    expect(scene.dispatcher.stats().waiting).toBeLessThan(4);
  });

  it('C4: gives the slots of a runner to the first runs of its lane group, whatever their lanes', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready({ maxInFlight: 4, workflows: [{ name: 'order' }, { name: 'refund' }] });
    const lanes = ['order', 'refund'].map((workflow) => scene.lanes.id(scene.projectId, { workflow }));
    const [orders = 0, refunds = 0] = lanes;
    scene.work.enqueue(refunds, 3);
    const others = scene.work.enqueue(orders, 100);
    scene.engine.bus.emit('work.ready', { laneIds: lanes });
    await vi.waitFor(() => expect(scene.dispatcher.stats().invoked).toBe(4));
    expect(scene.work.ready.get(refunds)).toEqual([]);
    expect(scene.work.ready.get(orders)).toEqual(others.slice(1));
    // The next one that comes to the other lane is the last in line.
    scene.work.enqueue(refunds, 1);
    scene.engine.bus.emit('work.ready', { laneIds: [refunds] });
    for (let i = 0; i < 4; i++) runner.answer(await runner.next('invoke'));
    for (let i = 0; i < 4; i++) await runner.next('invoke');
    expect(scene.work.ready.get(refunds)).toHaveLength(1);
  });

  it('C1: makes one claim of all hints of a moment', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready();
    await vi.waitFor(() => expect(scene.work.claims.length).toBeGreaterThan(0));
    const before = scene.work.claims.length;
    for (let i = 0; i < 50; i++) scene.enqueue();
    for (let i = 0; i < 50; i++) runner.answer(await runner.next('invoke'));
    expect(scene.work.claims.length - before).toBeLessThanOrEqual(2);
  });

  it('C2: continues after a failure of the database', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready();
    let failures = 3;
    scene.work.onClaim = () => {
      if (failures-- > 0) throw new Error('the database is away');
    };
    scene.enqueue();
    runner.answer(await runner.next('invoke'));
    expect(failures).toBeLessThan(0);
  });

  it('asks for nothing while nothing happens', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready({ maxInFlight: 1 });
    scene.enqueue(3);
    await runner.next('invoke');
    const before = scene.work.claims.length;
    // Saturated, with work left: it must not spin.
    await delay(50);
    expect(scene.work.claims.length).toBe(before);
  });
});

describe('an invoke', () => {
  it('P2: that is not answered in time counts as a transport failure, and its late answer is ignored', async () => {
    scene = await Scene.open({ settings: { invokeTimeoutMs: 100 } });
    const runner = scene.connect();
    await runner.ready({ maxInFlight: 1 });
    const [runId] = scene.enqueue();
    const invoke = await runner.next('invoke');
    const { reply } = await scene.work.settlements.next((each) => each.runId === runId);
    expect(reply).toEqual({ kind: 'transport', reason: 'no answer within 100 ms', socketLost: false });
    runner.answer(invoke);
    await vi.waitFor(() => expect(scene.dispatcher.stats()).toMatchObject({ ignoredAnswers: 1, timeouts: 1, held: 0 }));
  });

  it('that cannot be written counts as a transport failure', async () => {
    scene = await Scene.open();
    const runner = scene.connect();
    await runner.ready();
    scene.work.invokeText = () => {
      throw new RangeError('Invalid string length');
    };
    const [runId] = scene.enqueue();
    const { reply } = await scene.work.settlements.next((each) => each.runId === runId);
    expect(reply).toMatchObject({ kind: 'transport', socketLost: false });
  });
});

describe('a pass that goes on while all runners are busy', () => {
  it('waits for a slot here, in order, and is handed back when that takes too long', async () => {
    scene = await Scene.open({ options: { waitMs: 200 } });
    const [first, second] = [scene.connect(), scene.connect()];
    await first.ready({ runner: 'a', maxInFlight: 1 });
    const [moved] = scene.enqueue();
    await first.next('invoke');
    await second.ready({ runner: 'b', maxInFlight: 1 });
    scene.enqueue();
    const busy = await second.next('invoke');
    scene.work.onSettle = ({ reply }) => (reply.kind === 'transport' ? 'again' : 'released');
    first.vanish();
    await vi.waitFor(() => expect(scene.dispatcher.stats().waiting).toBe(1));
    await scene.work.released.next((each) => each === moved);
    expect(scene.dispatcher.stats().waiting).toBe(0);
    second.answer(busy);
  });

  it('is served first when a slot is free', async () => {
    scene = await Scene.open();
    const [first, second] = [scene.connect(), scene.connect()];
    await first.ready({ runner: 'a', maxInFlight: 1 });
    const [moved] = scene.enqueue();
    await first.next('invoke');
    await second.ready({ runner: 'b', maxInFlight: 1 });
    scene.enqueue(3);
    const busy = await second.next('invoke');
    scene.work.onSettle = ({ reply }) => (reply.kind === 'transport' ? 'again' : 'released');
    first.vanish();
    await vi.waitFor(() => expect(scene.dispatcher.stats().waiting).toBe(1));
    second.answer(busy);
    expect((await second.next('invoke')).request.ctx.runId).toBe(moved);
  });
});

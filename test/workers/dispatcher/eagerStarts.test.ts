import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClaimedPass } from '../../../src/engine/passes/index.ts';
import type { EagerKind, EagerPass } from '../../../src/workers/dispatcher/seams/work.ts';
import { ScriptedSite } from './kit/scriptedSite.ts';

let site: ScriptedSite;
let laneId: number;

beforeEach(async () => {
  site = await ScriptedSite.open();
  laneId = site.lanes.id(site.projectId, {});
});
afterEach(() => site.close());

const reserve = (kind: EagerKind = 'start'): EagerPass | undefined => site.work.reserve(laneId, kind);

/** A runner whose lane is known and holds nothing. */
async function idleRunner(maxInFlight: number) {
  const runner = site.connect();
  await runner.ready({ maxInFlight });
  await vi.waitFor(() => {
    const free = reserve();
    free?.cancel();
    expect(free).toBeDefined();
  });
  return runner;
}

const passOf = (runId: string, { dispatcherId }: EagerPass): ClaimedPass =>
  site.work.pass({ runId, laneId, dispatcherId });

describe('an eager start', () => {
  it('gets no slot if no runner serves its lane', () => {
    expect(reserve()).toBeUndefined();
  });

  it('gets as many slots as runners have free, and one more after another is cancelled', async () => {
    await idleRunner(2);
    const [first, second] = [reserve(), reserve()];
    expect(first).toBeDefined();
    expect(second).toBeDefined();
    expect(reserve()).toBeUndefined();
    first?.cancel();
    expect(reserve()).toBeDefined();
  });

  it('is sent to a runner without a claim, and its run then occupies the slot', async () => {
    const runner = await idleRunner(1);
    const before = site.work.claims.length;
    const free = reserve();
    if (!free) throw new Error('no free slot');
    free.begin(passOf('started', free));
    const invoke = await runner.next('invoke');
    expect(invoke).toMatchObject({ request: { ctx: { runId: 'started' } } });
    expect(reserve()).toBeUndefined();
    runner.answer(invoke);
    await vi.waitFor(() => expect(reserve()).toBeDefined());
    expect(site.work.claims.length).toBe(before);
  });

  it('gets no slot while other runs may wait in its lane', async () => {
    await idleRunner(2);
    let go = (): void => undefined;
    site.work.onClaim = () =>
      new Promise<void>((resolve) => {
        go = resolve;
      });
    site.engine.bus.emit('work.ready', { laneIds: [laneId] });
    expect(reserve()).toBeUndefined();
    const claims = site.work.claims.length;
    await vi.waitFor(() => expect(site.work.claims.length).toBeGreaterThan(claims));
    expect(reserve()).toBeUndefined();
    go();
    await vi.waitFor(() => expect(reserve()).toBeDefined());
  });

  it('gets a slot during a claim if it is a wake, and half of the slots stay free', async () => {
    await idleRunner(4);
    let go = (): void => undefined;
    site.work.onClaim = () =>
      new Promise<void>((resolve) => {
        go = resolve;
      });
    const claims = site.work.claims.length;
    site.engine.bus.emit('work.ready', { laneIds: [laneId] });
    await vi.waitFor(() => expect(site.work.claims.length).toBeGreaterThan(claims));
    const slots = [reserve('wake'), reserve('wake'), reserve('wake'), reserve('start')];
    expect(slots.map((slot) => slot !== undefined)).toEqual([true, true, false, false]);
    for (const slot of slots) slot?.cancel();
    go();
    await vi.waitFor(() => expect(reserve()).toBeDefined());
  });

  it('gets a slot before its run is due only while half of the slots stay free', async () => {
    await idleRunner(4);
    const slots = [reserve('earlyWake'), reserve('earlyWake'), reserve('earlyWake'), reserve('wake')];
    expect(slots.map((slot) => slot !== undefined)).toEqual([true, true, false, true]);
    for (const slot of slots) slot?.cancel();
  });

  it('gets no slot, wake or not, after a claim that left runs in its lane', async () => {
    const runner = await idleRunner(4);
    let claims = 0;
    site.work.onClaim = () => {
      claims += 1;
      // The second claim does not come back, so the lane stays as the first has left it.
      return claims === 1 ? undefined : new Promise<void>(() => undefined);
    };
    site.work.enqueue(laneId, 10);
    site.engine.bus.emit('work.ready', { laneIds: [laneId] });
    for (let n = 0; n < 4; n += 1) runner.answer(await runner.next('invoke'));
    await vi.waitFor(() => expect(claims).toBe(2));
    await vi.waitFor(() => expect(site.dispatcher.stats()).toMatchObject({ invoked: 0, waiting: 0 }));
    expect([reserve('start'), reserve('wake')]).toEqual([undefined, undefined]);
  });

  it('is released if its dispatcher was found dead before it began', async () => {
    await idleRunner(2);
    const free = reserve();
    if (!free) throw new Error('no free slot');
    site.work.isAlive = false;
    await vi.waitFor(() => {
      const next = reserve();
      next?.cancel();
      expect(next?.dispatcherId).toBe('dispatcher-2');
    });
    free.begin(passOf('late', free));
    expect(await site.work.released.next()).toBe('late');
  });

  it('gets no slot of a dispatcher that stops', async () => {
    await idleRunner(1);
    const stopping = site.dispatcher.stop();
    expect(reserve()).toBeUndefined();
    await stopping;
  });
});

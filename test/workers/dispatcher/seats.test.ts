import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClaimedPass } from '../../../src/engine/passes/index.ts';
import type { PassSeat } from '../../../src/workers/dispatcher/seams/work.ts';
import { Scene } from './kit/scene.ts';

let scene: Scene;
let laneId: number;

beforeEach(async () => {
  scene = await Scene.open();
  laneId = scene.lanes.id(scene.projectId, {});
});
afterEach(() => scene.close());

const seat = (): PassSeat | undefined => scene.work.seat(laneId);

/** A runner whose lane is known and holds nothing. */
async function idleRunner(maxInFlight: number) {
  const runner = scene.connect();
  await runner.ready({ maxInFlight });
  await vi.waitFor(() => {
    const free = seat();
    free?.leave();
    expect(free).toBeDefined();
  });
  return runner;
}

const passOf = (runId: string, { dispatcherId }: PassSeat): ClaimedPass =>
  scene.work.pass({ runId, laneId, dispatcherId });

describe('a start', () => {
  it('finds no seat where no runner serves its lane', () => {
    expect(seat()).toBeUndefined();
  });

  it('finds as many seats as runners have free slots, and one again when one is left', async () => {
    await idleRunner(2);
    const [first, second] = [seat(), seat()];
    expect(first).toBeDefined();
    expect(second).toBeDefined();
    expect(seat()).toBeUndefined();
    first?.leave();
    expect(seat()).toBeDefined();
  });

  it('is sent to a runner without a claim once it has taken its seat, which the run then fills', async () => {
    const runner = await idleRunner(1);
    const before = scene.work.claims.length;
    const free = seat();
    if (!free) throw new Error('no seat');
    free.take(passOf('started', free));
    const invoke = await runner.next('invoke');
    expect(invoke).toMatchObject({ request: { ctx: { runId: 'started' } } });
    expect(seat()).toBeUndefined();
    runner.answer(invoke);
    await vi.waitFor(() => expect(seat()).toBeDefined());
    expect(scene.work.claims.length).toBe(before);
  });

  it('finds no seat while others may wait in its lane', async () => {
    await idleRunner(2);
    let go = (): void => undefined;
    scene.work.onClaim = () =>
      new Promise<void>((resolve) => {
        go = resolve;
      });
    scene.engine.bus.emit('work.ready', { laneIds: [laneId] });
    expect(seat()).toBeUndefined();
    const claims = scene.work.claims.length;
    await vi.waitFor(() => expect(scene.work.claims.length).toBeGreaterThan(claims));
    expect(seat()).toBeUndefined();
    go();
    await vi.waitFor(() => expect(seat()).toBeDefined());
  });

  it('is handed back when its dispatcher was found silent before it sat down', async () => {
    await idleRunner(2);
    const free = seat();
    if (!free) throw new Error('no seat');
    scene.work.isAlive = false;
    await vi.waitFor(() => {
      const next = seat();
      next?.leave();
      expect(next?.dispatcherId).toBe('dispatcher-2');
    });
    free.take(passOf('late', free));
    expect(await scene.work.released.next()).toBe('late');
  });

  it('finds no seat in a dispatcher that stops', async () => {
    await idleRunner(1);
    const stopping = scene.dispatcher.stop();
    expect(seat()).toBeUndefined();
    await stopping;
  });
});

import { describe, expect, it } from 'vitest';
import { flushDueBuffers } from '../../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../../src/engine/clock.ts';
import { pauseRun, resumeRun } from '../../../../src/engine/control/index.ts';
import { readFlowState } from '../../../../src/engine/flow/policies/index.ts';
import { wakeDueRuns } from '../../../../src/engine/work/index.ts';
import { useEngine } from '../../../support/engine.ts';
import { spending } from '../../ai/scene.ts';
import { type FlowScene, openFlowScene } from '../flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const minute = 60_000;

const target = ({ projectId }: FlowScene, run: { id: string } | undefined) => ({
  projectId,
  runId: run?.id ?? '',
  actor: 'a person',
});

const times = (count: number): object[] => Array.from({ length: count }, () => ({}));

/** The ms until each of the project's runs starts, in order; 0 for now. */
async function waits(project: FlowScene): Promise<number[]> {
  const now = clock.now().getTime();
  return (await project.runs()).map(({ startAt }) => Math.max(0, (startAt?.getTime() ?? 0) - now));
}

describe('a throttle that changes', () => {
  const throttled = (limit: number, perMs: number) => [{ name: 't', throttle: { limit, perMs, key: 'k' } }];

  it('moves the given turns, and later turns follow them', async () => {
    const project = await openFlowScene(test, throttled(1, minute));
    await project.outcomes('t', [{ k: 1 }, { k: 1 }, { k: 2 }, { k: 1 }]);
    expect(await waits(project)).toEqual([0, minute, 0, 2 * minute]);
    await project.register(throttled(10, minute));
    expect(await waits(project)).toEqual([0, 6_000, 0, 12_000]);
    await project.send('t', { k: 1 });
    expect((await waits(project)).at(-1)).toBe(18_000);
    await project.register(throttled(1, 10_000));
    expect(await waits(project)).toEqual([0, 10_000, 0, 20_000, 30_000]);
    const { throttle } = await readFlowState(test.engine, { projectId: project.projectId, workflow: 't' });
    const nextStartAt = new Date(clock.now().getTime() + 10_000);
    expect(throttle).toMatchObject([{ key: '1', delayed: 3, nextStartAt }]);
    clock.advance(10_000);
    await wakeDueRuns(test.engine);
    await project.settle();
    expect((await project.runs({ status: 'succeeded' })).length).toBe(3);
    await project.expectHealthy();
  });

  it('lets delayed runs start at once when it is removed', async () => {
    const project = await openFlowScene(test, throttled(1, minute));
    await project.outcomes('t', [{ k: 1 }, { k: 1 }, { k: 1 }]);
    await project.register([{ name: 't' }]);
    expect(await waits(project)).toEqual([0, 0, 0]);
    await wakeDueRuns(test.engine);
    await project.settle();
    expect(await project.runs({ status: 'succeeded' })).toHaveLength(3);
    await project.register(throttled(1, minute));
    await project.send('t', { k: 1 });
    expect((await waits(project)).at(-1)).toBe(0);
    await project.expectHealthy();
  });

  it('does not affect started runs, or other workflows', async () => {
    const project = await openFlowScene(test, [
      ...throttled(1, minute),
      { name: 'other', throttle: { limit: 1, perMs: minute } },
    ]);
    await project.outcomes('other', times(2));
    await project.register([...throttled(60, minute), { name: 'other', throttle: { limit: 1, perMs: minute } }]);
    expect(await waits(project)).toEqual([0, minute]);
  });
});

describe('a throttle beside a token throttle', () => {
  const shaped = (limit: number) => [
    { name: 't', throttle: { limit, perMs: minute }, tokenThrottle: { tokens: 100, perMs: 60 * minute } },
  ];

  it('does not multiply the wait for tokens when it is slowed', async () => {
    const project = await openFlowScene(test, shaped(60), spending(200));
    await project.send('t');
    await project.settle();
    clock.advance(minute);
    await project.send('t');
    const [, refilled = 0] = await waits(project);
    expect(refilled).toBeGreaterThan(58 * minute);
    await project.register(shaped(1));
    clock.advance(minute);
    await wakeDueRuns(test.engine);
    expect((await waits(project))[1]).toBe(refilled - minute);
    await project.expectHealthy();
  });
});

describe('a throttle of the slowest pace', () => {
  it('gives no run a start time beyond the year 9999', async () => {
    const century = 3_153_600_000_000;
    const project = await openFlowScene(test, [{ name: 't', throttle: { limit: 1, perMs: 1_000 } }]);
    await project.outcomes('t', times(100));
    await project.register([{ name: 't', throttle: { limit: 1, perMs: century } }]);
    const years = (await project.runs()).map(({ startAt }) => startAt?.getUTCFullYear() ?? 0);
    expect(Math.max(...years)).toBe(9999);
    await project.register([{ name: 't', throttle: { limit: 2, perMs: century } }]);
    await project.register([{ name: 't' }]);
    expect(await waits(project)).toEqual(times(100).map(() => 0));
  });
});

describe('starts that were paused while they waited for their turn', () => {
  const throttled = (limit: number) => [{ name: 't', throttle: { limit, perMs: minute } }];

  it('get the start times of the new policy', async () => {
    const project = await openFlowScene(test, throttled(1));
    await project.outcomes('t', times(3));
    const [, second, third] = await project.runs();
    for (const run of [second, third]) await pauseRun(test.engine, target(project, run));
    await project.register(throttled(6));
    expect(await waits(project)).toEqual([0, 10_000, 20_000]);
    expect(await resumeRun(test.engine, target(project, second))).toMatchObject({ status: 'queued' });
    clock.advance(10_000);
    await wakeDueRuns(test.engine);
    await project.settle();
    expect(await project.runs({ status: 'succeeded' })).toHaveLength(2);
    await project.register([{ name: 't' }]);
    await resumeRun(test.engine, target(project, third));
    await wakeDueRuns(test.engine);
    await project.settle();
    expect(await project.runs({ status: 'succeeded' })).toHaveLength(3);
    await project.expectHealthy();
  });
});

describe('a rate limit that changes', () => {
  it('counts exactly the starts that have passed', async () => {
    const limited = (limit: number, perMs: number) => [{ name: 'r', rateLimit: { limit, perMs } }];
    const project = await openFlowScene(test, limited(1, 86_400_000));
    expect(await project.outcomes('r', times(2))).toEqual(['run', 'dropped']);
    await project.register(limited(4, minute));
    expect(await project.outcomes('r', times(4))).toEqual(['run', 'run', 'run', 'dropped']);
    await project.register(limited(2, minute));
    expect(await project.outcomes('r', times(1))).toEqual(['dropped']);
    await project.register([{ name: 'r' }]);
    await project.register(limited(2, minute));
    expect(await project.outcomes('r', times(3))).toEqual(['run', 'run', 'dropped']);
  });
});

describe('a debounce that changes', () => {
  const debounced = (periodMs: number) => [{ name: 'd', debounce: { periodMs } }];

  it.each([
    ['shortened', debounced(500), 500],
    ['lengthened', debounced(2 * minute), 2 * minute],
    ['taken away', [{ name: 'd' }], 0],
  ])('is %s for buffered starts too', async (_, changed, afterMs) => {
    const project = await openFlowScene(test, debounced(minute));
    await project.send('d', { n: 1 });
    await project.register(changed);
    if (afterMs > 0) {
      clock.advance(afterMs - 1);
      await flushDueBuffers(test.engine);
      expect(await project.runs()).toEqual([]);
      clock.advance(1);
    }
    await flushDueBuffers(test.engine);
    expect(await project.runs()).toMatchObject([{ input: { n: 1 } }]);
    await project.expectHealthy();
  });
});

describe('a batch that changes', () => {
  const batched = (maxSize: number, timeoutMs = minute) => [{ name: 'b', batch: { maxSize, timeoutMs } }];

  it.each([
    ['smaller', batched(3), 0],
    ['quicker', batched(10, 500), 500],
    ['taken away', [{ name: 'b' }], 0],
  ])('is %s for buffered starts too', async (_, changed, afterMs) => {
    const project = await openFlowScene(test, batched(10));
    await project.outcomes('b', times(3));
    await project.register(changed);
    clock.advance(afterMs);
    await flushDueBuffers(test.engine);
    const runs = await project.runs();
    expect(runs).toHaveLength(1);
    expect(runs[0]?.events).toHaveLength(3);
    await project.expectHealthy();
  });

  it('closes once it is full by a smaller size, and stays open with a larger one', async () => {
    const project = await openFlowScene(test, batched(10));
    await project.outcomes('b', times(3));
    await project.register(batched(2));
    await project.send('b');
    await project.register(batched(4));
    await flushDueBuffers(test.engine);
    expect((await project.runs()).map(({ events }) => (events as unknown[]).length)).toEqual([3]);
    await project.outcomes('b', times(3));
    await flushDueBuffers(test.engine);
    expect((await project.runs()).map(({ events }) => (events as unknown[]).length)).toEqual([3, 4]);
  });
});

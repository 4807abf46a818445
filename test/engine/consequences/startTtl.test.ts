import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { dropExpiredStarts } from '../../../src/engine/consequences/index.ts';
import { pauseRun } from '../../../src/engine/control/index.ts';
import type { Database } from '../../../src/engine/db/database.ts';
import { lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { nextDueInMs } from '../../../src/engine/work/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { readFrames } from '../../support/frames.ts';
import { complete, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock(new Date('2031-06-01T08:00:00Z'));
const test = useEngine({ clock });

const minute = 60_000;
const error = { name: 'StartExpiredError', message: 'the run did not begin within its ttl of 60000 ms' };

async function openSite(flow: Omit<WireWorkflow, 'name'> = {}) {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow', ...flow }]);
  const dispatcher = await new ScriptedDispatcher(test.engine, () => complete('done')).start();
  const trigger = async (fields: object = {}) => {
    const call = { projectId, app: 'default', name: 'flow', input: fields };
    return (await triggerWorkflow(test.engine, call)).runId ?? '';
  };
  const run = (id: string) => test.db.prisma.run.findUniqueOrThrow({ where: { id } });
  const stateOf = async (runId: string) => (await test.db.prisma.runWork.findUnique({ where: { runId } }))?.state;
  return { projectId, dispatcher, trigger, run, stateOf };
}

describe('a start that has not begun within its ttl', () => {
  it('is dropped at that time, and not a moment sooner: its run is cancelled, with the reason', async () => {
    const { projectId, trigger, run } = await openSite();
    const runId = await trigger({ ttlMs: minute });
    expect(await run(runId)).toMatchObject({ expiresAt: new Date(clock.now().getTime() + minute) });
    clock.advance(minute - 1);
    expect(await dropExpiredStarts(test.engine)).toBe(0);
    expect((await nextDueInMs(test.engine)).expireInMs).toBe(1);
    clock.advance(1);
    expect(await dropExpiredStarts(test.engine)).toBe(1);
    expect(await run(runId)).toMatchObject({ status: 'cancelled', error, startedAt: null, endedAt: clock.now() });
    const frames = await readFrames(test.engine, { projectId, runId });
    expect(frames.map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { status: 'queued' },
      { status: 'cancelled', error },
    ]);
    expect(await dropExpiredStarts(test.engine)).toBe(0);
    expect((await nextDueInMs(test.engine)).expireInMs).toBeUndefined();
  });

  it('counts from its start time, if its caller delays it', async () => {
    const { trigger, run } = await openSite();
    const runId = await trigger({ delayMs: 10 * minute, ttlMs: minute });
    clock.advance(11 * minute - 1);
    expect(await dropExpiredStarts(test.engine)).toBe(0);
    clock.advance(1);
    expect(await dropExpiredStarts(test.engine)).toBe(1);
    expect(await run(runId)).toMatchObject({ status: 'cancelled', error });
  });

  it('is dropped while flow control delays it, while it is gated, and while it is paused', async () => {
    const throttled = await openSite({ throttle: { limit: 1, perMs: 10 * minute } });
    await throttled.trigger();
    const delayed = await throttled.trigger({ ttlMs: minute });
    const limited = await openSite({ concurrency: { limit: 1 } });
    await limited.trigger();
    const gated = await limited.trigger({ ttlMs: minute });
    await limited.dispatcher.claim();
    const paused = await limited.trigger({ ttlMs: minute });
    await pauseRun(test.engine, { projectId: limited.projectId, runId: paused, actor: 'test' });
    const states = await Promise.all([delayed, gated, paused].map(limited.stateOf));
    expect(states).toEqual(['parked', 'gated', 'paused']);
    clock.advance(minute);
    expect(await dropExpiredStarts(test.engine)).toBe(3);
    for (const runId of [delayed, gated, paused])
      expect(await limited.run(runId)).toMatchObject({ status: 'cancelled', error, pausedReason: null });
  });

  it('is dropped while no runner serves its workflow', async () => {
    const { trigger, run, stateOf } = await openSite();
    const runId = await trigger({ ttlMs: 10 * minute });
    clock.advance(5 * minute);
    await lookAfterStranded(test.engine);
    expect(await stateOf(runId)).toBe('stranded');
    clock.advance(5 * minute);
    expect(await dropExpiredStarts(test.engine)).toBe(1);
    expect(await run(runId)).toMatchObject({ status: 'cancelled', error: { name: 'StartExpiredError' } });
  });

  it('frees its singleton', async () => {
    const { trigger } = await openSite({ singleton: { mode: 'skip' } });
    await trigger({ ttlMs: minute });
    expect(await trigger()).toBe('');
    clock.advance(minute);
    await dropExpiredStarts(test.engine);
    expect(await trigger()).not.toBe('');
  });

  it('is begun by no claim, even before the scheduler drops it', async () => {
    for (const policy of [{}, { concurrency: { limit: 1 } }]) {
      const { trigger, run, dispatcher } = await openSite(policy);
      const expired = await trigger({ ttlMs: minute });
      clock.advance(minute);
      const next = await trigger();
      await dispatcher.runOnce();
      expect(await run(expired)).toMatchObject({ status: 'queued', startedAt: null });
      await dropExpiredStarts(test.engine);
      await dispatcher.runOnce();
      expect(await run(next)).toMatchObject({ status: 'succeeded' });
    }
  });

  it('is dropped by the scheduler', async () => {
    const { trigger, run } = await openSite();
    const runId = await trigger({ ttlMs: minute });
    clock.advance(minute);
    expect(await new Scheduler(test.engine).endLate()).toEqual({ again: true });
    expect(await run(runId)).toMatchObject({ status: 'cancelled' });
  });
});

describe('a run that has begun', () => {
  it('is not dropped, however long it takes', async () => {
    const { projectId, trigger, run } = await openSite();
    const runId = await trigger({ ttlMs: minute });
    const sleepy = await new ScriptedDispatcher(test.engine, () =>
      steps([{ op: 'Sleep', name: 'nap', sleepMs: 10 * minute }]),
    ).start();
    await sleepy.runOnce();
    clock.advance(minute);
    expect(await dropExpiredStarts(test.engine)).toBe(0);
    expect((await nextDueInMs(test.engine)).expireInMs).toBeUndefined();
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    expect(projectId).not.toBe('');
  });

  it('is not dropped if its claim comes between the search and the drop', async () => {
    const { trigger, run, dispatcher } = await openSite();
    const runId = await trigger({ ttlMs: minute });
    const claimed = clock.now();
    clock.advance(minute);
    const transaction: Database['transaction'] = async (work) => {
      const late = clock.now().getTime() - claimed.getTime();
      clock.advance(-late);
      await dispatcher.claim();
      clock.advance(late);
      return test.db.transaction(work);
    };
    const engine = createEngine({
      db: { ...test.db, transaction },
      log: pino({ level: 'silent' }),
      clock,
      settings: { operatorKey: 'test operator key' },
    });
    expect(await dropExpiredStarts(engine)).toBe(0);
    expect(await run(runId)).toMatchObject({ status: 'running', error: null });
  });
});

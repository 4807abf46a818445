import { setTimeout as delay } from 'node:timers/promises';
import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun, pauseRun } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { registerDispatcher, retireDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { type ClaimedPass, wakePass } from '../../../src/engine/passes/index.ts';
import { delayedBegins } from '../../../src/engine/work/delayedBegins.ts';
import { offerEagerWakes, releaseSuspects, wakeDueRuns } from '../../../src/engine/work/index.ts';
import { mostAtOnce } from '../../../src/engine/work/leaseDueRuns.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { createTestEngine, createTestProject, type OwnedEngine } from '../../support/engine.ts';
import { readFrames } from '../../support/frames.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

let clock: ManualClock;
/** An engine for each test: what one leaves parked would become due in another. */
let test: OwnedEngine;
let withdraw = (): void => undefined;
/** The outcomes of the eager wakes. */
let begun: Promise<ClaimedPass | undefined>[];
let cancelled: number;

beforeEach(async () => {
  [begun, cancelled] = [[], 0];
  clock = new ManualClock();
  test = await createTestEngine({ clock });
});
afterEach(async () => {
  withdraw();
  onFailPoint(undefined);
  await test.close();
});

function offer(dispatcherId: string): void {
  withdraw();
  withdraw = offerEagerWakes(test.engine, () => ({
    dispatcherId,
    begin: (run, saved) => void begun.push(wakePass(test.engine, run, { dispatcherId, steps: saved })),
    cancel: () => {
      cancelled += 1;
    },
  }));
}

const nap = { op: 'Sleep', name: 'nap', sleepMs: 1 } as const;
const isOpen = (request: InvokeRequest, name: string): boolean => 'pending' in (memoOf(request, name) ?? {});
const sleeper: Script = (request) => {
  if (memoOf(request, 'nap') === undefined) return steps([nap]);
  return isOpen(request, 'nap') ? steps([]) : complete('slept');
};

/** A run that its script has parked, with a dispatcher that offers slots. */
async function parked(script: Script = sleeper, policy: object = {}) {
  const { engine, db } = test;
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow', ...policy }]);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const { runId = '' } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
  for (const pass of await dispatcher.claim()) await dispatcher.drive(pass);
  offer(dispatcher.id);
  return {
    ...{ projectId, runId, dispatcher },
    run: () => db.prisma.run.findUniqueOrThrow({ where: { id: runId } }),
    work: () => db.prisma.runWork.findUnique({ where: { runId } }),
    frames: async () => {
      const frames = await readFrames(engine, { projectId, runId });
      return frames.map(({ seq, payload }) => ({ seq, ...JSON.parse(payload) }));
    },
  };
}

/** The turns of the scheduler, once the sleep has passed by both clocks. Returns the woken runs. */
async function wake(): Promise<number> {
  await delay(2);
  clock.advance(10);
  for (let all = 0; ; ) {
    const { woken, full } = await wakeDueRuns(test.engine);
    all += woken;
    if (!full) return all;
  }
}

const violations = async () => (await runDoctor(test.engine)).checks.flatMap((each) => each.violations);

describe('a run that becomes due and has a free runner', () => {
  it('is leased by the commit that wakes it', async () => {
    const { dispatcher, frames, run, work } = await parked();
    const before = await work();
    expect(await wake()).toBe(1);
    expect(await work()).toMatchObject({
      ...{ state: 'leased', leaseId: dispatcher.id, claimNo: (before?.claimNo ?? 0) + 1, dueAt: null },
      wakes: before?.wakes,
    });
    expect(await run()).toMatchObject({ status: 'running' });
    const told = await frames();
    expect(told.slice(-3)).toMatchObject([
      { step: 'nap', status: 'succeeded', durationMs: 10 },
      { status: 'queued' },
      { status: 'running' },
    ]);
    expect(told.map(({ seq }) => seq)).toEqual(told.map((_, position) => position + 1));
    const [pass] = await Promise.all(begun);
    expect(await pass?.settle(complete('done'), 'socket')).toBe('released');
    expect(await run()).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await violations()).toEqual([]);
  });

  it('is invoked as after a claim, and leaves the same rows', async () => {
    const play = async (offered: boolean) => {
      begun = [];
      const { dispatcher, frames, run, runId } = await parked();
      if (!offered) withdraw();
      await wake();
      const [pass] = await Promise.all(begun);
      expect(pass !== undefined).toBe(offered);
      const request = pass ? JSON.parse(pass.invokeText()) : undefined;
      if (pass) await pass.settle(complete('slept'), 'socket');
      else await dispatcher.runOnce();
      const { ctx, ...rest } = request ?? dispatcher.requests.at(-1);
      const { status, result } = await run();
      const undated = JSON.stringify({ rest, told: await frames() }).replaceAll(
        /"\d{4}-\d\d-\d\dT[^"]*"|"durationMs":\d+/g,
        '0',
      );
      return { undated, attempt: ctx.attempt, own: ctx.runId === runId, status, result };
    };
    const usual = await play(false);
    expect(await play(true)).toEqual(usual);
  });

  it('takes others that are due along, which are claimed', async () => {
    const one = await parked();
    const other = await parked();
    withdraw();
    let offers = 0;
    withdraw = offerEagerWakes(test.engine, () => {
      offers += 1;
      if (offers > 1) return undefined;
      const { id: dispatcherId } = one.dispatcher;
      return {
        dispatcherId,
        begin: (run, saved) => void begun.push(wakePass(test.engine, run, { dispatcherId, steps: saved })),
        cancel: () => {},
      };
    });
    expect(await wake()).toBe(2);
    expect([(await one.work())?.state, (await other.work())?.state].sort()).toEqual(['leased', 'ready']);
    await releaseAll();
  });

  it('goes on after the backoff of a failed step', async () => {
    const failing = { op: 'StepRun', name: 'work', error: { message: 'no' }, retryAfterMs: 5 } as const;
    const { frames, run } = await parked(() => steps([failing]), { retry: { maxAttempts: 2 } });
    expect(await run()).toMatchObject({ status: 'waiting' });
    await delay(5);
    expect(await wake()).toBe(1);
    expect((await frames()).slice(-2)).toMatchObject([{ status: 'queued' }, { status: 'running' }]);
    const [pass] = await Promise.all(begun);
    expect(JSON.parse(pass?.invokeText() ?? '{}').ctx.stepAttempts).toBeDefined();
    await pass?.settle(complete('after all'), 'socket');
    expect(await run()).toMatchObject({ status: 'succeeded' });
    expect(await violations()).toEqual([]);
  });

  it('goes on after the time-out of its wait, which no event ends any more', async () => {
    const { projectId } = await parked((request) =>
      memoOf(request, 'go') === undefined
        ? steps([{ op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 1 }])
        : complete('late'),
    );
    await wake();
    const [pass] = await Promise.all(begun);
    expect(Object.values(JSON.parse(pass?.invokeText() ?? '{}').steps)).toEqual([{ data: null }]);
    expect(await test.db.prisma.runWait.count({ where: { projectId } })).toBe(0);
    await releaseAll();
  });
});

describe('a run that only sleeps', () => {
  const soon = { op: 'Sleep', name: 'nap', sleepMs: 30 } as const;
  const parkedSoon = (...others: Parameters<typeof steps>[0]) =>
    parked((request) => (memoOf(request, 'nap') === undefined ? steps([soon, ...others]) : complete('slept')));

  it('is leased shortly before it is due, and is invoked when it is due', async () => {
    const beganMs = performance.now();
    const { runId, run, work } = await parkedSoon();
    const dueAt = (await work())?.dueAt;
    expect((await wakeDueRuns(test.engine)).woken).toBe(1);
    expect(await work()).toMatchObject({ state: 'leased' });
    expect(await test.db.prisma.runStep.findFirst({ where: { runId } })).toMatchObject({ endedAt: dueAt });
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(soon.sleepMs);
    await releaseAll();
    expect(await run()).toMatchObject({ status: 'succeeded' });
    expect(await violations()).toEqual([]);
  });

  it('does not begin if it is cancelled before it is due', () => {
    const told: string[] = [];
    const atMs = performance.now() + 60_000;
    const parts = { atMs, begin: () => told.push('begun'), drop: () => told.push('dropped') };
    delayedBegins(test.engine).add('run 1', parts);
    test.engine.bus.emit('run.cancelled', { runId: 'run 2', reason: 'no' });
    expect(told).toEqual([]);
    test.engine.bus.emit('run.cancelled', { runId: 'run 1', reason: 'no' });
    test.engine.bus.emit('run.cancelled', { runId: 'run 1', reason: 'no' });
    expect(told).toEqual(['dropped']);
  });

  it('is leased when it is due if it also waits for an event, which may still come', async () => {
    const { work } = await parkedSoon({ op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 60_000 });
    expect((await wakeDueRuns(test.engine)).woken).toBe(0);
    expect(await work()).toMatchObject({ state: 'parked' });
    await delay(soon.sleepMs);
    clock.advance(soon.sleepMs);
    expect(await wake()).toBe(1);
  });

  it('stays parked while it is due later than that', async () => {
    const later = { op: 'Sleep', name: 'nap', sleepMs: 50_000 } as const;
    const { work } = await parked((request) => (memoOf(request, 'nap') ? complete('slept') : steps([later])));
    const { woken, nextInMs } = await wakeDueRuns(test.engine);
    expect(woken).toBe(0);
    expect(nextInMs).toBeLessThan(later.sleepMs - 15);
    expect(await work()).toMatchObject({ state: 'parked' });
  });

  it('is leased by one statement with its neighbours', async () => {
    const runs = [];
    for (let n = 0; n < 12; n += 1) runs.push(await parked());
    await delay(2);
    clock.advance(10);
    expect(await wakeDueRuns(test.engine)).toMatchObject({ woken: 12, full: false });
    for (const { work } of runs) expect(await work()).toMatchObject({ state: 'leased' });
    await releaseAll();
  });
});

it('runs that are leased as they wake leave no other due run waiting', async () => {
  const limited = await parked(sleeper, { concurrency: { limit: 1 } });
  const free = await parked();
  await delay(2);
  clock.advance(10);
  expect((await wakeDueRuns(test.engine)).woken).toBe(2);
  expect(await free.work()).toMatchObject({ state: 'leased' });
  expect(await limited.work()).toMatchObject({ state: 'ready' });
  await releaseAll();
});

describe('a run is not leased as it wakes', () => {
  it('if its workflow has a concurrency policy', async () => {
    const { work } = await parked(sleeper, { concurrency: { limit: 1 } });
    expect(await wake()).toBe(1);
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    expect(begun).toEqual([]);
  });

  it('if many are due at once', async () => {
    const runs = [];
    for (let n = 0; n <= mostAtOnce; n += 1) runs.push(await parked());
    expect(await wake()).toBe(mostAtOnce + 1);
    for (const { work } of runs) expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    expect(begun).toEqual([]);
  });

  it('if its dispatcher is gone', async () => {
    const { work } = await parked();
    const gone = await registerDispatcher(test.engine);
    await retireDispatcher(test.engine, gone);
    offer(gone);
    expect(await wake()).toBe(1);
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    expect([begun.length, cancelled]).toEqual([0, 1]);
  });

  it('if somebody has locked it', async () => {
    const { runId, work } = await parked();
    await test.db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      expect(await wake()).toBe(0);
    });
    expect([begun.length, cancelled]).toEqual([0, 1]);
    expect(await wakeDueRuns(test.engine)).toMatchObject({ woken: 1 });
    expect(await work()).toMatchObject({ state: 'ready' });
  });

  it('if it was paused or cancelled', async () => {
    for (const stop of [pauseRun, cancelRun]) {
      begun = [];
      const { projectId, runId, run } = await parked();
      await stop(test.engine, { projectId, runId, actor: 'key' });
      const { status } = await run();
      expect(await wake()).toBe(0);
      expect(await run()).toMatchObject({ status });
      expect(begun).toEqual([]);
    }
  });
});

it('a wake-up whose commit was not answered leaves leases that the next check of suspect leases releases', async () => {
  const { dispatcher, run, work } = await parked();
  onFailPoint((point) => {
    if (point === 'leaseDue:after') throw new Error('lost');
  });
  await expect(wake()).rejects.toThrow('lost');
  onFailPoint(undefined);
  expect([begun.length, cancelled]).toEqual([0, 1]);
  expect(await work()).toMatchObject({ state: 'leased', leaseId: dispatcher.id });
  await releaseSuspects(test.engine, dispatcher.id);
  expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
  await dispatcher.runOnce();
  expect(await run()).toMatchObject({ status: 'succeeded' });
  expect(await violations()).toEqual([]);
});

/** Ends the runs that a test has left leased. */
async function releaseAll(): Promise<void> {
  for (const pass of await Promise.all(begun)) await pass?.settle(complete('done'), 'socket');
}

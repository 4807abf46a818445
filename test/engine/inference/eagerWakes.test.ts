import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancelRun, pauseRun } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { registerDispatcher, retireDispatcher } from '../../../src/engine/dispatchers/index.ts';
import type { LeasedCall } from '../../../src/engine/inference/index.ts';
import { type ClaimedPass, wakePass } from '../../../src/engine/passes/index.ts';
import { offerEagerWakes, releaseSuspects } from '../../../src/engine/work/index.ts';
import { useEngine } from '../../support/engine.ts';
import { readFrames } from '../../support/frames.ts';
import { complete } from '../../support/scriptedRunner.ts';
import { answered, asking, ended, InferenceScene, succeeded } from './scene.ts';

const test = useEngine();
let withdraw = (): void => undefined;
/** The outcomes of the eager wakes. */
let begun: Promise<ClaimedPass | undefined>[];
let cancelled: number;

beforeEach(() => {
  [begun, cancelled] = [[], 0];
});
afterEach(() => {
  withdraw();
  onFailPoint(undefined);
});

function offer(dispatcherId: string): void {
  withdraw();
  withdraw = offerEagerWakes(test.engine, () => ({
    dispatcherId,
    begin: (run, steps) => void begun.push(wakePass(test.engine, run, { dispatcherId, steps })),
    cancel: () => {
      cancelled += 1;
    },
  }));
}

/** A run that waits for one call, whose answer is about to be settled. */
async function open(names: readonly string[] = ['ask'], policy: object = {}) {
  const scene = await InferenceScene.open(test, asking(names), policy);
  offer(scene.dispatcher.id);
  const runId = await scene.start();
  // Runs of earlier tests may be ready, too.
  const calls = (await scene.claim()).calls.filter((call) => call.runId === runId);
  const [call] = calls;
  if (!call) throw new Error('no call was claimed');
  await widen();
  const sent = await Promise.all(calls.map(async (each) => [each, await scene.sent(each)] as const));
  const numbers = new Map(sent);
  const settle = (each: LeasedCall = call) =>
    scene.settle(each, succeeded(), ended(numbers.get(each) ?? 0, answered()));
  return { scene, runId, calls, settle };
}

/** A lane that opens, or recovers, takes the longer way. */
const widen = () => test.db.query('update inference_lane set width = null, opening_since = null');

const work = (runId: string) => test.db.prisma.runWork.findUnique({ where: { runId } });

describe('an answer whose run has a free runner', () => {
  it('leases the run by the commit that settles its step', async () => {
    const { scene, runId, settle } = await open();
    const before = await work(runId);
    expect(await settle()).toBe('settled');
    expect(await work(runId)).toMatchObject({
      state: 'leased',
      leaseId: scene.dispatcher.id,
      claimNo: (before?.claimNo ?? 0) + 1,
      wakes: (before?.wakes ?? 0) + 1,
    });
    expect(await scene.run(runId)).toMatchObject({ status: 'running' });
    const frames = await readFrames(test.engine, { projectId: scene.projectId, runId });
    expect(frames.slice(-3).map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { status: 'succeeded', attempt: 1 },
      { status: 'queued' },
      { status: 'running' },
    ]);
    expect(frames.map(({ seq }) => seq)).toEqual(frames.map((_, n) => n + 1));
    const [pass] = await Promise.all(begun);
    expect(await pass?.settle(complete('done'), 'socket')).toBe('released');
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('invokes it as a claim would', async () => {
    const { scene, runId, settle } = await open();
    await settle();
    const [pass] = await Promise.all(begun);
    const text = pass?.invokeText();
    await test.db.query(`update run_work set state = 'ready', lease_id = null where run_id = $1`, [runId]);
    await scene.dispatcher.runOnce();
    const claimed = scene.dispatcher.requests.findLast(({ ctx }) => ctx.runId === runId);
    const traced = { ctx: { ...claimed?.ctx, traceparent: expect.any(String) } };
    expect(JSON.parse(text ?? '')).toEqual({ ...claimed, ...traced });
  });

  it('leaves the same rows as without one', async () => {
    const rows = async (offered: boolean) => {
      begun = [];
      const { scene, runId, settle } = await open();
      if (!offered) withdraw();
      await settle();
      const [pass] = await Promise.all(begun);
      if (pass) await pass.settle(complete('done'), 'socket');
      else await scene.dispatcher.runOnce();
      const frames = await readFrames(test.engine, { projectId: scene.projectId, runId });
      const { status, result, startedAt } = await scene.run(runId);
      const [step] = await scene.steps(runId);
      const shown = JSON.parse(JSON.stringify(step?.ai));
      return {
        ...{ status, result, hasStarted: startedAt !== null },
        frames: frames.map(({ kind, payload }) => ({ kind, ...JSON.parse(payload), durationMs: 0 })),
        ai: { ...shown, sends: shown.sends.length },
      };
    };
    expect(await rows(true)).toEqual(await rows(false));
  });
});

describe('a run is only woken', () => {
  it('if its workflow has a concurrency policy', async () => {
    const { runId, settle } = await open(['ask'], { concurrency: { limit: 1 } });
    expect(await settle()).toBe('settled');
    expect(await work(runId)).toMatchObject({ state: 'ready', leaseId: null });
    expect([begun.length, cancelled]).toEqual([0, 1]);
  });

  it('if its dispatcher is gone', async () => {
    const { runId, settle } = await open();
    const gone = await registerDispatcher(test.engine);
    await retireDispatcher(test.engine, gone);
    offer(gone);
    expect(await settle()).toBe('settled');
    expect(await work(runId)).toMatchObject({ state: 'ready', leaseId: null });
    expect([begun.length, cancelled]).toEqual([0, 1]);
  });
});

describe('an answer', () => {
  it('to one of several calls leases the run once, and the others only tell it', async () => {
    const { scene, runId, calls, settle } = await open(['a', 'b', 'c']);
    for (const call of calls) expect(await settle(call)).toBe('settled');
    expect(begun).toHaveLength(1);
    const [pass] = await Promise.all(begun);
    expect(await pass?.settle(complete('done'), 'socket')).toBe('released');
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await scene.steps(runId)).toMatchObject(calls.map(() => ({ status: 'succeeded' })));
  });

  it('that arrives together with others leases the run once at most, and loses no wake', async () => {
    const { scene, runId, calls, settle } = await open(['a', 'b', 'c']);
    expect(await Promise.all(calls.map((call) => settle(call)))).toEqual(['settled', 'settled', 'settled']);
    const [pass, ...others] = await Promise.all(begun);
    expect(others).toEqual([]);
    if (pass) await pass.settle(complete('done'), 'socket');
    else await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('of a paused run settles its step, and the run stays paused', async () => {
    const { scene, runId, settle } = await open();
    await pauseRun(test.engine, { projectId: scene.projectId, runId, actor: 'key' });
    expect(await settle()).toBe('settled');
    expect(await work(runId)).toMatchObject({ state: 'paused', resumeState: 'ready' });
    expect(await scene.steps(runId)).toMatchObject([{ status: 'succeeded' }]);
    expect([begun.length, cancelled]).toEqual([0, 1]);
  });

  it('of a cancelled run changes nothing but the ledger', async () => {
    const { scene, runId, settle } = await open();
    await cancelRun(test.engine, { projectId: scene.projectId, runId, actor: 'key' });
    expect(await settle()).toBe('late');
    expect(await scene.run(runId)).toMatchObject({ status: 'cancelled' });
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'answered' }]);
    expect(await scene.usage(runId)).toMatchObject([{ tokensIn: 30n, unknown: false }]);
    expect([begun.length, cancelled]).toEqual([0, 1]);
  });

  it('whose commit was not answered leaves a lease that the next check of suspect leases releases', async () => {
    const { scene, runId, settle } = await open();
    onFailPoint((point) => {
      if (point === 'takeAnswer:after') throw new Error('lost');
    });
    await expect(settle()).rejects.toThrow('lost');
    onFailPoint(undefined);
    expect([begun.length, cancelled]).toEqual([0, 1]);
    expect(await work(runId)).toMatchObject({ state: 'leased', leaseId: scene.dispatcher.id });
    expect(await settle()).toBe('late');
    await releaseSuspects(test.engine, scene.dispatcher.id);
    expect(await work(runId)).toMatchObject({ state: 'ready', leaseId: null });
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await scene.usage(runId)).toHaveLength(1);
  });

  it('that is settled during a check of suspect leases keeps the lease', async () => {
    const lost = await open();
    onFailPoint((point) => {
      if (point === 'takeAnswer:after') throw new Error('lost');
    });
    await expect(lost.settle()).rejects.toThrow('lost');
    const { scene, runId, settle } = await secondRun(lost.scene);
    onFailPoint(async (point) => {
      if (point !== 'releaseLeases:before') return;
      onFailPoint(undefined);
      await settle();
    });
    await releaseSuspects(test.engine, scene.dispatcher.id);
    expect(await work(lost.runId)).toMatchObject({ state: 'ready', leaseId: null });
    expect(await work(runId)).toMatchObject({ state: 'leased', leaseId: scene.dispatcher.id });
  });
});

async function secondRun(scene: InferenceScene) {
  const runId = await scene.start();
  const call = await scene.claimOne();
  await widen();
  const number = await scene.sent(call);
  return { scene, runId, settle: () => scene.settle(call, succeeded(), ended(number, answered())) };
}

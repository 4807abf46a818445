import type { FlowControl } from '@holdfast/sdk/protocol';
import { describe, expect, test } from 'vitest';
import { triggerWorkflow } from '../../../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { pauseRun, resumeRun } from '../../../../../src/engine/control/index.ts';
import { runDoctor } from '../../../../../src/engine/doctor/index.ts';
import { readFlowState } from '../../../../../src/engine/flow/policies/index.ts';
import { RawJson } from '../../../../../src/engine/json/index.ts';
import { wakeDueRuns } from '../../../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../../../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../../../support/workflows.ts';
import { call } from '../../../ai/scene.ts';

const clock = new ManualClock(new Date('2026-11-21T12:00:00.000Z'));

const service = useEngine({ clock });

/** A workflow whose runs spend the tokens of their input, in one AI step. */
async function newScene(policy: FlowControl) {
  const { engine, db } = service;
  const projectId = await createTestProject(engine);
  const register = (change: FlowControl) => registerWorkflows(engine, projectId, [{ name: 'flow', ...change }]);
  await register(policy);
  const dispatcher = await new ScriptedDispatcher(engine, (request) => {
    if (memoOf(request, 'ask')) return complete('done');
    const { spends = 0 } = request.event.data as { spends?: number };
    return steps([call('ask', { tokensIn: spends, tokensOut: 0 })]);
  }).start();
  const read = (id: string) => db.prisma.run.findUniqueOrThrow({ where: { id } });
  return {
    projectId,
    register,
    dispatcher,
    read,
    async start(input: object): Promise<string> {
      const trigger = { projectId, app: 'default', name: 'flow', input: { input: RawJson.of(input) } };
      return (await triggerWorkflow(engine, trigger)).runId ?? '';
    },
    async spend(tokens: number, rest: object = {}): Promise<string> {
      const runId = await this.start({ spends: tokens, ...rest });
      await dispatcher.runOnce();
      return runId;
    },
    /** The ms until it starts; undefined: now. */
    async startsInMs(runId: string): Promise<number | undefined> {
      const { startAt } = await read(runId);
      return startAt ? startAt.getTime() - clock.now().getTime() : undefined;
    },
    work: (runId: string) => db.prisma.runWork.findUnique({ where: { runId } }),
    async buckets(workflow?: string) {
      return (await readFlowState(engine, { projectId, workflow })).tokenThrottle;
    },
  };
}

const healthy = async () =>
  expect((await runDoctor(service.engine)).checks.flatMap((each) => each.violations)).toEqual([]);

describe('2.2 tokenThrottle', () => {
  const policy = { tokenThrottle: { tokens: 100, perMs: 10_000 } };

  test('a drained bucket delays new starts until it holds tokens again', async () => {
    const scene = await newScene(policy);
    const first = await scene.spend(130);
    expect(await scene.read(first)).toMatchObject({ status: 'succeeded', startAt: null });
    const late = await scene.start({});
    expect(await scene.read(late)).toMatchObject({ status: 'queued', startedAt: null });
    expect(await scene.startsInMs(late)).toBe(3001);
    expect(await scene.work(late)).toMatchObject({ state: 'parked', leaseId: null });
    clock.advance(3000);
    await scene.dispatcher.runOnce();
    expect(await scene.read(late)).toMatchObject({ status: 'queued', startedAt: null });
    await healthy();
    clock.advance(1);
    await scene.dispatcher.runOnce();
    expect(await scene.read(late)).toMatchObject({ status: 'succeeded' });
    await healthy();
  });

  test('a bucket with any tokens lets starts pass, and refills up to its size', async () => {
    const scene = await newScene(policy);
    await scene.spend(99);
    expect(await scene.startsInMs(await scene.start({}))).toBeUndefined();
    clock.advance(60_000);
    await scene.spend(100);
    expect(await scene.startsInMs(await scene.start({}))).toBe(1);
  });

  test('each value of the key has its own bucket', async () => {
    const scene = await newScene({ tokenThrottle: { ...policy.tokenThrottle, key: 'user.id' } });
    await scene.spend(200, { user: { id: 1 } });
    expect(await scene.startsInMs(await scene.start({ user: { id: '1' } }))).toBe(10_001);
    expect(await scene.startsInMs(await scene.start({ user: { id: 2 } }))).toBeUndefined();
    expect(await scene.startsInMs(await scene.start({}))).toBeUndefined();
  });

  test('an executing run continues when its bucket is drained', async () => {
    const scene = await newScene(policy);
    const under = await scene.start({ spends: 500 });
    await scene.dispatcher.runOnce();
    expect(await scene.read(under)).toMatchObject({ status: 'succeeded' });
  });

  test('a bucket that was drained further delays a start again', async () => {
    const scene = await newScene(policy);
    await scene.start({ spends: 50 });
    const [slow] = await scene.dispatcher.claim();
    if (!slow) throw new Error('nothing was claimed');
    await scene.spend(100);
    const late = await scene.start({});
    expect(await scene.startsInMs(late)).toBe(1);
    await scene.dispatcher.drive(slow);
    clock.advance(1);
    await wakeDueRuns(service.engine);
    expect(await scene.startsInMs(late)).toBe(5000);
    expect(await scene.work(late)).toMatchObject({ state: 'parked' });
    await healthy();
    clock.advance(5000);
    await scene.dispatcher.runOnce();
    expect(await scene.read(late)).toMatchObject({ status: 'succeeded' });
    await healthy();
  });

  test('a delayed run that was paused checks its bucket when it is resumed', async () => {
    const scene = await newScene(policy);
    await scene.spend(100);
    const runId = await scene.start({});
    const target = { projectId: scene.projectId, runId, actor: 'test' };
    await pauseRun(service.engine, target);
    clock.advance(5000);
    // Only the stored number has changed.
    await service.db.query(
      `update flow_rate set arrival_us = arrival_us + 10000000 where project_id = '${scene.projectId}'`,
    );
    expect(await resumeRun(service.engine, target)).toMatchObject({ status: 'queued' });
    expect(await scene.work(runId)).toMatchObject({ state: 'parked' });
    expect(await scene.startsInMs(runId)).toBe(5001);
    await healthy();
  });

  test('a removed policy delays no start', async () => {
    const scene = await newScene(policy);
    await scene.spend(100);
    const late = await scene.start({});
    await scene.register({});
    await service.db.query(
      `update flow_rate set arrival_us = arrival_us + 10000000 where project_id = '${scene.projectId}'`,
    );
    clock.advance(1);
    await scene.dispatcher.runOnce();
    expect(await scene.read(late)).toMatchObject({ status: 'succeeded' });
  });

  test('a bucket keeps its debited tokens when its size or its pace changes', async () => {
    const scene = await newScene(policy);
    await scene.spend(150);
    const startsIn = async () => scene.startsInMs(await scene.start({}));
    expect(await startsIn()).toBe(5001);
    await scene.register({ tokenThrottle: { tokens: 100, perMs: 1000 } });
    expect(await startsIn()).toBe(501);
    await scene.register({ tokenThrottle: { tokens: 50, perMs: 1000 } });
    expect(await startsIn()).toBe(2001);
    await scene.register({ tokenThrottle: { tokens: 151, perMs: 1000 } });
    expect(await startsIn()).toBeUndefined();
    expect(await scene.buckets()).toMatchObject([{ available: 1 }]);
  });

  test('a policy that is newer than the run debits the bucket of the whole workflow', async () => {
    const scene = await newScene({});
    await scene.start({ spends: 120, user: 'a' });
    const passes = await scene.dispatcher.claim();
    await scene.register({ tokenThrottle: { ...policy.tokenThrottle, key: 'user' } });
    for (const pass of passes) await scene.dispatcher.drive(pass);
    expect(await scene.startsInMs(await scene.start({}))).toBe(2001);
  });

  test('the flow state shows the tokens of buckets, and the time of the next start', async () => {
    const scene = await newScene({ tokenThrottle: { ...policy.tokenThrottle, key: 'user' } });
    const read = () => scene.buckets();
    expect(await read()).toEqual([]);
    await scene.spend(30, { user: 'a' });
    await scene.spend(130, { user: 'b' });
    const bucket = { app: 'default', workflow: 'flow' };
    const nextStartAt = new Date(clock.now().getTime() + 3001);
    expect(await read()).toEqual([
      { ...bucket, key: 'b', available: 0, nextStartAt },
      { ...bucket, key: 'a', available: 70, nextStartAt: undefined },
    ]);
    clock.advance(3001);
    expect(await read()).toEqual([{ ...bucket, key: 'b', available: 0, nextStartAt: undefined }]);
    expect(await scene.buckets('other')).toEqual([]);
    await scene.register(policy);
    expect(await read()).toContainEqual({ ...bucket, key: undefined, available: 100, nextStartAt: undefined });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import {
  failOverdueCalls,
  firstCall,
  forgetInference,
  forgetOrphans,
  relaneCalls,
  rescueLongSilent,
} from '../../../src/engine/inference/index.ts';
import { putProviderKey } from '../../../src/engine/secrets/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { useEngine } from '../../support/engine.ts';
import {
  again,
  answered,
  asking,
  ended,
  held,
  InferenceScene,
  refused,
  sceneClock,
  succeeded,
  unknown,
} from './scene.ts';

const clock = sceneClock();
const test = useEngine({ clock });
const twoHours = 7_200_000;

const open = (policy = {}) => InferenceScene.open(test, asking(['ask']), policy);
const errorOf = async (scene: InferenceScene, runId: string) => (await scene.steps(runId)).at(-1)?.error;
const late = (why: string) => ({
  name: 'InferenceError',
  message: `the model did not answer within 7200000 ms: ${why}`,
});

describe('a call past its deadline', () => {
  it('fails its step, and says that no process took it', async () => {
    const scene = await open();
    const runId = await scene.start();
    clock.advance(twoHours - 1);
    expect(await failOverdueCalls(test.engine)).toBe(0);
    clock.advance(1);
    expect(await failOverdueCalls(test.engine)).toBe(1);
    expect(await errorOf(scene, runId)).toEqual(late('no process with the role inference took the call'));
    expect(await scene.calls(runId)).toEqual([]);
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('says since when its lane is held, and why', async () => {
    const scene = await open();
    const runId = await scene.start();
    await scene.execute(await scene.claimOne(), refused(), held());
    const since = clock.now().toISOString();
    clock.advance(twoHours);
    await failOverdueCalls(test.engine);
    expect(await errorOf(scene, runId)).toEqual(late(`the lane is held since ${since}: 529 overloaded_error`));
  });

  it('says why its last request failed', async () => {
    const scene = await open();
    const runId = await scene.start();
    await scene.execute(await scene.claimOne(), unknown(), again);
    clock.advance(twoHours);
    await failOverdueCalls(test.engine);
    expect(await errorOf(scene, runId)).toEqual(late('the last request failed: the stream was cut'));
  });

  it('is retried as the workflow says, with a deadline of its own', async () => {
    const scene = await open({ maxAttempts: 2 });
    const runId = await scene.start();
    clock.advance(twoHours);
    await failOverdueCalls(test.engine);
    expect(await scene.steps(runId)).toMatchObject([{ status: 'failed', willRetry: true }]);
    clock.advance(1100);
    await scene.dispatcher.runOnce();
    expect(await scene.calls(runId)).toMatchObject([
      { attempt: 2, deadlineAt: new Date(clock.now().getTime() + twoHours) },
    ]);
  });

  it('is retried under the same key, as one that may repeat a send whose end is unknown', async () => {
    const scene = await open({ maxAttempts: 2 });
    await scene.start();
    const { idempotencyKey } = await scene.claimOne().then(async (call) => {
      await scene.execute(call, unknown(), again);
      return call;
    });
    clock.advance(twoHours);
    await failOverdueCalls(test.engine);
    clock.advance(1100);
    await scene.dispatcher.runOnce();
    expect(await scene.claimOne()).toMatchObject({ attempt: 2, sends: 0, afterUnknown: true, idempotencyKey });
  });

  it('is retried under a new key after a refusal', async () => {
    const scene = await open({ maxAttempts: 2 });
    await scene.start();
    const call = await scene.claimOne();
    await scene.execute(call, refused(), again);
    clock.advance(twoHours);
    await failOverdueCalls(test.engine);
    clock.advance(1100);
    await scene.dispatcher.runOnce();
    const next = await scene.claimOne();
    expect(next).toMatchObject({ attempt: 2, afterUnknown: false });
    expect(next.idempotencyKey).not.toBe(call.idempotencyKey);
  });

  it('of a run that an older version ended is deleted, and stands in the way of no other', async () => {
    const scene = await open();
    const runId = await scene.start();
    await scene.endByOlderVersion(runId);
    clock.advance(twoHours);
    expect(await failOverdueCalls(test.engine)).toBe(1);
    expect(await scene.calls(runId)).toEqual([]);
    expect(await failOverdueCalls(test.engine)).toBe(0);
  });

  it('of a paused run that an older version ended is deleted by the sweep', async () => {
    const scene = await open();
    const ended_ = await scene.start();
    const kept = await scene.start();
    for (const runId of [ended_, kept]) {
      await pauseRun(test.engine, { projectId: scene.projectId, runId, actor: 'ada' });
    }
    await scene.endByOlderVersion(ended_);
    let after = firstCall;
    const pages = [];
    for (let page = 0; page < 3; page += 1) {
      const { next, ...found } = await forgetOrphans(test.engine, { after, limit: 1 });
      pages.push(found);
      after = next;
    }
    const found = { forgotten: 1, full: true };
    const nothing = { forgotten: 0, full: false };
    expect(pages).toEqual([found, nothing, nothing]);
    expect(after).toBe(firstCall);
    expect(await scene.calls(ended_)).toEqual([]);
    expect(await scene.calls(kept)).toHaveLength(1);
  });

  it('fails beside many others in few transactions, each with its own reason', async () => {
    const scene = await InferenceScene.open(test, asking(['a', 'b', 'c']), { cap: { maxTokens: 1_000_000 } });
    const runIds = [];
    for (let n = 0; n < 40; n += 1) runIds.push(await scene.start());
    const [paused = '', ended_ = '', sent = '', ...others] = runIds;
    const { calls } = await scene.claim();
    const first = calls.find((call) => call.runId === sent);
    if (!first) throw new Error('all calls are due');
    await scene.execute(first, unknown(), again);
    await test.db.query('update inference_call set lease_id = null');
    await scene.endByOlderVersion(ended_);
    await test.db.query('update run_work set pausing = true where run_id = $1', [paused]);
    clock.advance(twoHours);
    let transactions = 0;
    const { db } = test.engine;
    const transaction: typeof db.transaction = (work) => {
      transactions += 1;
      return db.transaction(work);
    };
    expect(await failOverdueCalls({ ...test.engine, db: { ...db, transaction } })).toBe(120);
    expect(transactions).toBeLessThanOrEqual(3);
    expect(await test.db.prisma.inferenceCall.findMany()).toMatchObject(
      [1, 2, 3].map(() => ({ runId: paused, pausedAt: clock.now() })),
    );
    expect((await scene.steps(sent)).map(({ error }) => error)).toEqual([
      late('the last request failed: the stream was cut'),
      ...Array(2).fill(late('it waited for its turn, and 0 calls of the same key were in flight')),
    ]);
    for (const runId of others) {
      expect((await scene.steps(runId)).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    }
    expect(await failOverdueCalls(test.engine)).toBe(0);
    await test.db.query('delete from run_work');
  });

  it('is left alone while it is in flight, and its answer is taken', async () => {
    const scene = await open();
    const runId = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    clock.advance(twoHours);
    expect(await failOverdueCalls(test.engine)).toBe(0);
    expect(await scene.settle(call, succeeded(), ended(number, answered()))).toBe('settled');
    expect(await scene.steps(runId)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('fails although its process died, when no other process of the role lives', async () => {
    const scene = await open();
    const runId = await scene.start();
    await scene.sent(await scene.claimOne());
    clock.advance(59_000);
    expect(await rescueLongSilent(test.engine)).toBe(0);
    clock.advance(twoHours);
    expect(await rescueLongSilent(test.engine)).toBe(1);
    expect(await failOverdueCalls(test.engine)).toBe(1);
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'unknown' }]);
    expect(await errorOf(scene, runId)).toEqual(late('the last request failed: the process that sent it has stopped'));
  });

  it('does not fail in a paused run, whose pause is not counted', async () => {
    const scene = await open();
    const runId = await scene.start();
    const control = { projectId: scene.projectId, runId, actor: 'ada' };
    clock.advance(twoHours - 1000);
    await pauseRun(test.engine, control);
    clock.advance(twoHours);
    expect(await failOverdueCalls(test.engine)).toBe(0);
    await resumeRun(test.engine, control);
    clock.advance(999);
    expect(await failOverdueCalls(test.engine)).toBe(0);
    clock.advance(1);
    expect(await failOverdueCalls(test.engine)).toBe(1);
  });
});

describe('a scheduler', () => {
  let scheduler: Scheduler | undefined;
  afterEach(() => scheduler?.stop());

  it('fails overdue calls by itself, and tells the workers of calls that are due', async () => {
    const scene = await open();
    const runId = await scene.start();
    const told = new Promise((resolve) => test.engine.bus.on('inference.due', resolve));
    clock.advance(twoHours);
    const settled = new Promise<void>((resolve) => {
      test.engine.bus.on('run.moved', ({ runs }) => {
        if (runs.some((run) => run.runId === runId)) resolve();
      });
    });
    scheduler = new Scheduler(test.engine);
    scheduler.start();
    await Promise.all([told, settled]);
    expect(await scene.steps(runId)).toMatchObject([{ status: 'failed' }]);
  });
});

describe('a key that is set or removed', () => {
  const setKey = (projectId: string) =>
    putProviderKey(test.engine, test.engine.db, { projectId, provider: 'anthropic', apiKey: 'sk-1' });

  it('moves the waiting calls of its project, and no others', async () => {
    const scene = await open();
    const runId = await scene.start();
    await scene.backlog(3, { provider: 'openai' });
    const before = await scene.calls(runId);
    await setKey(scene.projectId);
    expect(await relaneCalls(test.engine, scene.projectId, 'anthropic')).toBe(1);
    expect(await relaneCalls(test.engine, scene.projectId, 'anthropic')).toBe(0);
    const [call] = (await scene.claim({ room: 10 })).calls.filter((each) => each.runId === runId);
    expect(call).toMatchObject({ keyFrom: 'project' });
    expect(call?.keyId).not.toBe(before[0]?.keyId);
    expect(await test.db.prisma.inferenceLane.findUnique({ where: { id: call?.laneId ?? '' } })).toMatchObject({
      projectId: scene.projectId,
      model: 'opus',
    });
  });

  it('counts for the next send of a call that was in flight', async () => {
    const scene = await open();
    await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    await setKey(scene.projectId);
    expect(await relaneCalls(test.engine, scene.projectId, 'anthropic')).toBe(0);
    await scene.settle(call, { kind: 'again', inMs: 0 }, ended(number, refused()));
    expect(await scene.claimOne()).toMatchObject({ keyFrom: 'project' });
  });
});

describe('what calls left', () => {
  const failure = { kind: 'failed', error: { message: 'no' }, ai: {}, mayRetry: false } as const;

  it('is pruned once it is idle: lanes after a day, keys after a month', async () => {
    const scene = await open();
    await scene.start();
    const call = await scene.claimOne();
    await scene.execute(call, refused(), { ...failure, refusal: 'no quota' });
    const lanes = () => test.db.prisma.inferenceLane.count();
    const keys = () => test.db.prisma.inferenceKey.count();
    await scene.start();
    clock.advance(86_400_000);
    await forgetInference(test.engine);
    expect([await lanes(), await keys()]).toEqual([1, 1]);
    await test.db.query('delete from inference_call');
    await forgetInference(test.engine);
    expect([await lanes(), await keys()]).toEqual([0, 1]);
    clock.advance(30 * 86_400_000);
    await forgetInference(test.engine);
    expect([await lanes(), await keys()]).toEqual([0, 0]);
  });

  it('in the cache is pruned when it is a day old', async () => {
    const { projectId } = await open();
    for (const [key, at] of [
      ['a', clock.now()],
      ['b', new Date(clock.now().getTime() + 1000)],
    ] as const) {
      await test.db.query(
        `insert into inference_cache (project_id, key, answer, bytes, created_at, used_at) values ($1, $2, '{}', 2, $3, $3)`,
        [projectId, Buffer.from(key), at],
      );
    }
    clock.advance(86_400_000);
    expect(await forgetInference(test.engine)).toEqual({ forgotten: 1, full: false });
    expect(await test.db.prisma.inferenceCache.count()).toBe(1);
  });
});

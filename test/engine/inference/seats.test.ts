import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { type BegunCall, offerSeats, releaseStrays, type SeatQuestion } from '../../../src/engine/inference/index.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { useEngine } from '../../support/engine.ts';
import { steps } from '../../support/scriptedRunner.ts';
import { answered, asking, ended, InferenceScene, infer, refused, succeeded } from './scene.ts';

const test = useEngine();
let withdraw = (): void => undefined;
let begun: BegunCall[];
let questions: SeatQuestion[];
let cancelled: boolean[];

beforeEach(() => {
  [begun, questions, cancelled] = [[], [], []];
});
afterEach(() => {
  withdraw();
  onFailPoint(undefined);
});

function offer(processId: string, registers = true): void {
  withdraw();
  withdraw = offerSeats(test.engine, (question) => {
    questions.push(question);
    return {
      processId,
      registers,
      begin: (calls) => void begun.push(...calls),
      cancel: (isUncertain) => void cancelled.push(isUncertain),
    };
  });
}

/** A scene whose key and lane exist, because calls have succeeded lately. */
async function open(names: readonly string[] = ['ask'], ...rest: [data?: object, policy?: object]) {
  withdraw();
  const scene = await InferenceScene.open(test, asking(['warm up']));
  await scene.start();
  await scene.answerAll();
  await scene.dispatcher.runOnce();
  const [data, policy] = rest;
  const again = await reopen(scene, names, data, policy);
  offer(again.processId);
  return again;
}

/** Another project with the keys and lanes of a scene. */
async function reopen(former: InferenceScene, names: readonly string[], data?: object, policy?: object) {
  const { prisma } = former.engine.db;
  const [keys, lanes] = await Promise.all([prisma.inferenceKey.findMany(), prisma.inferenceLane.findMany()]);
  const scene = await InferenceScene.open(test, asking(names, data), policy);
  await prisma.inferenceKey.createMany({ data: keys });
  const opened = { width: null, openingSince: null, succeededAt: new Date() };
  await prisma.inferenceLane.createMany({ data: lanes.map((lane) => ({ ...lane, ...opened })) });
  return scene;
}

const soleCall = (): BegunCall => {
  const [only, ...others] = begun;
  if (!only || others.length > 0) throw new Error(`${begun.length} calls have begun`);
  return only;
};

describe('a call with a seat', () => {
  it('is leased by the commit that records its step, with its send in the ledger', async () => {
    const scene = await open();
    const runId = await scene.start();
    const { call, send } = soleCall();
    expect(questions).toEqual([{ projectId: scene.projectId, providers: ['anthropic'] }]);
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting' });
    expect(await scene.steps(runId)).toMatchObject([{ status: 'waiting', name: 'ask' }]);
    expect(await scene.calls(runId)).toMatchObject([{ leaseId: scene.processId, claimNo: 1, sends: 1 }]);
    const [row] = await scene.sends(runId);
    expect(row).toMatchObject({ number: 1, outcome: null, processId: scene.processId, startedAt: send.startedAt });
    expect(Number(row?.reservedTokens)).toBeGreaterThan(4096);
    expect(send).toMatchObject({ number: 1, idempotencyKey: row?.idempotencyKey });
    expect(call.idempotencyKey).toBe(row?.idempotencyKey);
    expect((await scene.claim()).calls).toEqual([]);
  });

  it('is the same that a claim would return', async () => {
    const scene = await open();
    await scene.start();
    const { call } = soleCall();
    await test.db.query('delete from inference_send');
    await test.db.query('update inference_call set lease_id = null, sends = 0');
    expect(await scene.claimOne()).toEqual({ ...call, claimNo: 2 });
  });

  it('is settled as any other', async () => {
    const scene = await open();
    const runId = await scene.start();
    const { call, send } = soleCall();
    expect(await scene.settle(call, succeeded(), ended(send.number, answered()))).toBe('settled');
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'answered', tokensIn: 30n }]);
  });

  it('registers its process, and needs one that lives', async () => {
    const scene = await open();
    offer(scene.processId, false);
    const unknown = await scene.start();
    expect(await scene.calls(unknown)).toMatchObject([{ leaseId: null, sends: 0 }]);
    offer(scene.processId, true);
    await scene.start();
    expect(begun).toHaveLength(1);
    expect(await test.db.prisma.inferenceProcess.findMany()).toMatchObject([{ id: scene.processId }]);
  });

  it('is begun beside others of one answer', async () => {
    const scene = await open(['a', 'b', 'c']);
    const runId = await scene.start();
    expect(begun.map(({ call }) => call.stepIndex).sort()).toEqual([0, 1, 2]);
    expect(await scene.sends(runId)).toHaveLength(3);
  });
});

describe('a call is queued', () => {
  const queued = async (scene: InferenceScene, runId: string) => {
    expect(begun).toEqual([]);
    expect(await scene.calls(runId)).toMatchObject([{ leaseId: null, claimNo: 0, sends: 0 }]);
    expect(await scene.sends(runId)).toEqual([]);
  };

  it('if no process here calls models', async () => {
    const scene = await open();
    withdraw();
    await queued(scene, await scene.start());
  });

  it.each([
    ['if its lane is held', `held_until = now() + interval '1 minute'`],
    ['if its lane recovers from a hold', 'width = 1'],
    ['if no call of its lane has succeeded lately', `succeeded_at = now() - interval '11 minutes'`],
  ])('%s', async (_, change) => {
    const scene = await open();
    await test.db.query(`update inference_lane set ${change}`);
    await queued(scene, await scene.start());
  });

  it.each(['inference_key', 'inference_lane'])('if nothing was sent there before (%s)', async (table) => {
    const scene = await open();
    await test.db.query(`delete from ${table}`);
    await queued(scene, await scene.start());
  });

  it('if the cache is asked first', async () => {
    const scene = await open(['ask'], { temperature: 0 });
    await queued(scene, await scene.start());
    expect(questions).toEqual([]);
  });

  it('if the spend of its run has a cap', async () => {
    const scene = await open(['ask'], {}, { cap: { maxTokens: 1000 } });
    await queued(scene, await scene.start());
  });

  it('if another transaction has locked its key, without waiting for it', async () => {
    const scene = await open();
    await test.db.transaction(async (tx) => {
      await tx.query({ text: 'select id from inference_key for no key update', values: [] });
      await queued(scene, await scene.start());
    });
  });

  it('if seats have taken half of the limit of its key, so that each call of the queue has its turn', async () => {
    const scene = await open(['a', 'b', 'c']);
    const { limits } = test.engine.settings;
    test.engine.settings.limits = { ...limits, inferenceConcurrency: 4 };
    try {
      const runId = await scene.start();
      expect(begun).toHaveLength(2);
      const calls = await scene.calls(runId);
      expect(calls.filter(({ leaseId }) => leaseId === null)).toHaveLength(1);
      expect((await scene.claim()).calls).toHaveLength(1);
    } finally {
      test.engine.settings.limits = limits;
    }
  });

  it('if its run is about to pause, and waits with it', async () => {
    const scene = await open();
    onFailPoint(async (point) => {
      if (point === 'lockSeats:before') await test.db.query('update run_work set pausing = true');
    });
    const runId = await scene.start();
    onFailPoint(undefined);
    await queued(scene, runId);
    const [call] = await scene.calls(runId);
    expect(call?.pausedAt).toBeInstanceOf(Date);
    expect(await scene.run(runId)).toMatchObject({ status: 'paused' });
  });
});

describe('the commit of an answer with calls', () => {
  it('writes nothing once the lease is lost', async () => {
    const scene = await open();
    withdraw();
    const runId = await scene.start();
    await scene.answerAll();
    const [pass] = await scene.dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    offer(scene.processId);
    const late = { ...pass, claimNo: pass.claimNo - 1 };
    const other = steps([infer('other')]);
    expect(await settlePass(test.engine, late, other)).toBe('released');
    expect(await scene.calls(runId)).toEqual([]);
    expect(await scene.steps(runId)).toHaveLength(1);
    expect(begun).toEqual([]);
  });

  it('keeps its run if something happened meanwhile, and sends the call', async () => {
    const scene = await open();
    onFailPoint(async (point) => {
      if (point !== 'lockSeats:before') return;
      onFailPoint(undefined);
      await test.db.query('update run_work set wakes = wakes + 1');
    });
    const runId = await scene.start();
    expect(await scene.calls(runId)).toHaveLength(1);
    expect(soleCall().call).toMatchObject({ runId });
  });

  it('tells the caller that its calls are uncertain if the answer was lost, and a sweep frees them', async () => {
    const scene = await open();
    let lost = 0;
    onFailPoint((point) => {
      if (point !== 'insertCalls:after' || lost > 0) return;
      lost += 1;
      throw Object.assign(new Error('Connection terminated'), { code: '08006' });
    });
    const runId = await scene.start();
    onFailPoint(undefined);
    expect(cancelled).toEqual([true]);
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting' });
    expect(await scene.sends(runId)).toMatchObject([{ outcome: null }]);
    expect(await releaseStrays(test.engine, { processId: scene.processId, known: [] })).toBe(1);
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'unknown' }]);
    const call = await scene.claimOne();
    expect(call).toMatchObject({ afterUnknown: true, claimNo: 2 });
    expect(await scene.execute(call, answered(), succeeded())).toBe('settled');
  });
});

describe('a refusal of a call with a seat', () => {
  it('holds the lane, and the calls that follow wait', async () => {
    const scene = await open();
    const runId = await scene.start();
    const { call, send } = soleCall();
    const held = { kind: 'held', forMs: 60_000, reason: 'overloaded' } as const;
    expect(await scene.settle(call, held, ended(send.number, refused()))).toBe('settled');
    expect(await scene.calls(runId)).toMatchObject([{ leaseId: null, sends: 1 }]);
    begun = [];
    const other = await scene.start();
    expect(await scene.calls(other)).toMatchObject([{ leaseId: null, sends: 0 }]);
    expect(begun).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { settleCall } from '../../../src/engine/inference/index.ts';
import { useEngine } from '../../support/engine.ts';
import {
  again,
  answered,
  asking,
  ended,
  failed,
  InferenceScene,
  refused,
  sceneClock,
  succeeded,
  unknown,
} from './scene.ts';

const clock = sceneClock();
const test = useEngine({ clock });

describe('an answer', () => {
  it('settles the step, records its spend, wakes the run and deletes the request', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting' });
    const call = await scene.claimOne();
    expect(call).toMatchObject({ runId, app: 'default', workflow: 'flow', keyFrom: 'settings', sends: 0 });
    expect(await scene.execute(call, answered(), succeeded())).toBe('settled');
    expect(await scene.calls(runId)).toEqual([]);
    expect(await scene.usage(runId)).toMatchObject([
      { stepIndex: 0, attempt: 1, send: 1, model: 'opus', tokensIn: 30n, tokensOut: 12n, unknown: false },
    ]);
    expect(await scene.run(runId)).toMatchObject({ status: 'queued' });
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    const [step] = await scene.steps(runId);
    expect(step).toMatchObject({ status: 'succeeded', input: { model: 'opus', offloaded: true } });
    expect(step?.ai).toEqual({
      provider: 'anthropic',
      model: 'opus',
      sends: [
        { number: 1, outcome: 'answered', at: expect.any(String), ms: 0, status: 200, requestId: 'req_1', ...tokens },
      ],
      finishReason: 'stop',
    });
    expect(step?.usage).toEqual({ model: 'opus', latencyMs: 40, ...tokens });
  });

  const tokens = { tokensIn: 30, tokensOut: 12 };

  it('that is recorded twice changes nothing the second time', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    const send = ended(await scene.sent(call), answered());
    expect(await scene.settle(call, succeeded(), send)).toBe('settled');
    expect(await scene.settle(call, succeeded({ text: 'other' }), send)).toBe('late');
    expect(await scene.usage(runId)).toHaveLength(1);
    expect(await scene.steps(runId)).toMatchObject([{ output: { text: 'hi' } }]);
  });

  it('to a call that another process has claimed changes nothing, but its tokens are recorded', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    await test.db.query(`update inference_call set lease_id = null`);
    const other = await scene.claimOne({ processId: newId() });
    expect(other.claimNo).toBe(call.claimNo + 1);
    expect(await scene.settle(call, succeeded(), ended(number, answered()))).toBe('late');
    expect(await scene.steps(runId)).toMatchObject([{ status: 'waiting' }]);
    expect(await scene.sends(runId)).toMatchObject([{ outcome: 'answered', tokensIn: 30n, tokensOut: 12n }]);
    expect(await scene.usage(runId)).toMatchObject([{ send: 1, tokensIn: 30n, unknown: false }]);
  });

  it('that comes after the lease ran out is taken while nobody else has claimed the call', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    await test.db.query(`update inference_call set lease_id = null`);
    expect(await scene.settle(call, succeeded(), ended(number, answered()))).toBe('settled');
    expect(await scene.steps(runId)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('of a run that was cancelled changes nothing, but its spend is recorded', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    await cancelRun(test.engine, { projectId: scene.projectId, runId, actor: 'ada' });
    expect(await scene.calls(runId)).toEqual([]);
    expect(await scene.settle(call, again, ended(number, unknown({ tokensIn: 30 })))).toBe('late');
    expect(await scene.sends(runId)).toMatchObject([
      { outcome: 'unknown', tokensIn: 30n, error: 'the stream was cut' },
    ]);
    expect(await scene.usage(runId)).toMatchObject([{ send: 1, tokensIn: 30n, unknown: true }]);
    expect(await scene.run(runId)).toMatchObject({ status: 'cancelled' });
  });

  it('of the cache counts as a call that spent nothing', async () => {
    const scene = await InferenceScene.open(test, asking(['ask'], { temperature: 0 }));
    const runId = await scene.start();
    const call = await scene.claimOne();
    expect(call.looksUp).toBe(true);
    expect(await scene.settle(call, { kind: 'succeeded', output: '{}', ai: { cacheHit: true } })).toBe('settled');
    expect(await scene.steps(runId)).toMatchObject([
      { ai: { sends: [], cacheHit: true }, usage: { model: 'opus', tokensIn: 0, tokensOut: 0, cacheHit: true } },
    ]);
    expect(await scene.usage(runId)).toMatchObject([{ send: 0, cacheHit: true, tokensIn: 0n, cost: null }]);
  });
});

describe('a send that failed', () => {
  it('is repeated with the same key after an unknown end, and with a new one after a refusal', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const first = await scene.claimOne();
    expect(await scene.execute(first, unknown({ tokensIn: 5 }), again)).toBe('settled');
    expect((await scene.claim()).calls).toEqual([]);
    clock.advance(1000);
    const second = await scene.claimOne();
    expect(second).toMatchObject({ sends: 1, failures: 1, afterUnknown: true, idempotencyKey: first.idempotencyKey });
    await scene.execute(second, refused(), again);
    clock.advance(1000);
    const third = await scene.claimOne();
    expect(third).toMatchObject({ sends: 2, failures: 2, afterUnknown: false });
    expect(third.idempotencyKey).not.toBe(first.idempotencyKey);
    await scene.execute(third, answered(), succeeded());
    expect(await scene.usage(runId)).toMatchObject([
      { send: 1, unknown: true, tokensIn: 5n },
      { send: 3, unknown: false },
    ]);
    const [step] = await scene.steps(runId);
    expect(step?.ai).toMatchObject({
      sends: [
        { number: 1, outcome: 'unknown', tokensIn: 5, error: 'the stream was cut' },
        { number: 2, outcome: 'refused', status: 529, error: 'overloaded' },
        { number: 3, outcome: 'answered' },
      ],
    });
    expect(step?.usage).toMatchObject({ tokensIn: 35, tokensOut: 12, latencyMs: 80 });
  });

  it('counts once, although its outcome is recorded twice', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    await scene.start();
    const call = await scene.claimOne();
    const send = ended(await scene.sent(call), unknown());
    await scene.settle(call, again, send);
    expect(await scene.settle(call, again, send)).toBe('late');
    clock.advance(1000);
    expect(await scene.claimOne()).toMatchObject({ failures: 1 });
  });

  it('fails the attempt, which is retried as the workflow says', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']), { maxAttempts: 2 });
    const runId = await scene.start();
    await scene.execute(await scene.claimOne(), refused(), failed(true, 'first'));
    expect(await scene.steps(runId)).toMatchObject([
      { status: 'failed', willRetry: true, error: { message: 'first' } },
    ]);
    clock.advance(1100);
    await scene.dispatcher.runOnce();
    const call = await scene.claimOne();
    expect(call).toMatchObject({ attempt: 2, sends: 0 });
    await scene.execute(call, refused(), failed(true, 'second'));
    await scene.dispatcher.runOnce();
    expect(await scene.steps(runId)).toMatchObject([
      { attempt: 1, status: 'failed' },
      { attempt: 2, status: 'failed', willRetry: false, error: { name: 'InferenceError', message: 'second' } },
    ]);
  });

  it('for good ends the step, whatever its attempts', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']), { maxAttempts: 5 });
    const runId = await scene.start();
    const call = await scene.claimOne();
    const outcome = { ...failed(false, 'quota'), refusal: '429 insufficient_quota' };
    await scene.execute(call, refused(), outcome);
    expect(await scene.steps(runId)).toMatchObject([{ status: 'failed', willRetry: false }]);
    expect(await scene.lane(call.laneId)).toMatchObject({ heldFor: '429 insufficient_quota', heldUntil: null });
    expect(await test.db.prisma.inferenceKey.findUnique({ where: { id: call.keyId } })).toMatchObject({
      projectId: null,
      lastUsedAt: clock.now(),
      lastRefusedAt: clock.now(),
      lastRefusal: '429 insufficient_quota',
    });
  });
});

describe('a process', () => {
  it('that repeats the beginning of a send gets the same one', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    expect(await scene.begin(call)).toEqual(await scene.begin(call));
    expect(await scene.sends(runId)).toHaveLength(1);
  });

  it('begins no send without the lease', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    expect(await scene.begin(call, newId())).toEqual({ kind: 'lost' });
    expect(await scene.begin({ ...call, claimNo: call.claimNo - 1 })).toEqual({ kind: 'lost' });
    expect(await scene.sends(runId)).toEqual([]);
  });

  it('that lost a call without a send learns so', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    await scene.start();
    const call = await scene.claimOne();
    const late = { ...call, claimNo: call.claimNo - 1 };
    expect(await settleCall(test.engine, late, { processId: newId(), outcome: failed() })).toBe('lost');
  });
});

import { describe, expect, it } from 'vitest';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { beginSend } from '../../../src/engine/inference/index.ts';
import { useEngine } from '../../support/engine.ts';
import { idOf } from '../../support/scriptedRunner.ts';
import { answered, asking, ended, InferenceScene, sceneClock, succeeded, unknown } from './scene.ts';

const clock = sceneClock();
const test = useEngine({ clock });

/** A model that spends 60 tokens, of at most 100 plus the request. */
const spends60 = answered({ tokensIn: 20, tokensOut: 40 });
const bounded = { maxTokens: 100 };
const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `ask ${n}`);

describe('a cap', () => {
  it('that is reached fails the run before the next send', async () => {
    const scene = await InferenceScene.open(
      test,
      (request) => {
        const next = names(5).find((name) => !request.steps[idOf(name)]);
        return asking(next === undefined ? [] : [next], bounded)(request);
      },
      { cap: { maxTokens: 120 } },
    );
    const runId = await scene.start();
    for (let turn = 0; turn < 3; turn += 1) {
      await scene.answerAll(spends60);
      await scene.dispatcher.runOnce();
    }
    expect(await scene.run(runId)).toMatchObject({
      status: 'failed',
      error: { name: 'BudgetError', message: 'the AI steps of this run have spent 120 tokens; its cap is 120' },
    });
    expect(await scene.sends(runId)).toHaveLength(2);
    expect(await scene.calls(runId)).toEqual([]);
    expect((await scene.steps(runId)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'cancelled']);
  });

  it('is overshot by a hundred parallel calls by at most one of them', async () => {
    const scene = await InferenceScene.open(test, asking(names(100), bounded), { cap: { maxTokens: 600 } });
    const runId = await scene.start();
    let most = 0;
    for (let turn = 0; turn < 1000; turn += 1) {
      const { calls } = await scene.claim();
      if (calls.length === 0) break;
      const begun = await Promise.all(calls.map(async (call) => ({ call, start: await scene.begin(call) })));
      const sent = begun.flatMap(({ call, start }) => (start.kind === 'send' ? [{ call, number: start.number }] : []));
      most = Math.max(most, sent.length);
      await Promise.all(sent.map(({ call, number }) => scene.settle(call, succeeded(), ended(number, spends60))));
    }
    expect(await scene.run(runId)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
    const spent = (await scene.usage(runId)).length * 60;
    expect(spent).toBeGreaterThanOrEqual(600);
    expect(spent).toBeLessThan(660);
    expect(most).toBeGreaterThan(1);
  });

  it('never holds back a call that is alone, however much it reserves', async () => {
    const scene = await InferenceScene.open(test, asking(['ask'], { maxTokens: 1_000_000 }), {
      cap: { maxTokens: 100 },
    });
    await scene.start();
    expect(await scene.begin(await scene.claimOne())).toMatchObject({ kind: 'send', number: 1 });
  });

  it('makes a call wait while others may reach it, and go on once one of them has ended', async () => {
    const scene = await InferenceScene.open(test, asking(names(4), bounded), { cap: { maxTokens: 150 } });
    const runId = await scene.start();
    const { calls } = await scene.claim();
    const kinds = [];
    for (const call of calls) kinds.push((await scene.begin(call)).kind);
    expect(kinds).toEqual(['send', 'send', 'waits', 'waits']);
    expect((await scene.claim()).calls).toEqual([]);
    const [first] = calls;
    if (!first) throw new Error('four calls are due');
    await scene.settle(first, succeeded(), ended(1, answered({ tokensIn: 1, tokensOut: 1 })));
    const woken = (await scene.claim()).calls;
    expect(woken.map(({ stepIndex }) => stepIndex)).toEqual([2, 3]);
    expect(await scene.calls(runId)).toHaveLength(3);
  });

  it('lets waiting calls go on once a send has ended whose call was claimed by another process', async () => {
    const scene = await InferenceScene.open(test, asking(names(4), bounded), { cap: { maxTokens: 150 } });
    await scene.start();
    const { calls } = await scene.claim();
    for (const call of calls) await scene.begin(call);
    const [first] = calls;
    if (!first) throw new Error('four calls are due');
    await test.db.query('update inference_call set claim_no = claim_no + 1 where step_index = 0');
    expect(await scene.settle(first, succeeded(), ended(1, answered({ tokensIn: 1, tokensOut: 1 })))).toBe('late');
    expect((await scene.claim()).calls.map(({ stepIndex }) => stepIndex)).toEqual([2, 3]);
  });

  it('lets a waiting call look again after a while, although nobody woke it', async () => {
    const scene = await InferenceScene.open(test, asking(names(3), bounded), { cap: { maxTokens: 150 } });
    await scene.start();
    for (const call of (await scene.claim()).calls) await scene.begin(call);
    expect((await scene.claim()).calls).toEqual([]);
    clock.advance(15_000);
    expect((await scene.claim()).calls).toHaveLength(1);
  });

  it('counts an end that is unknown by what is known of it', async () => {
    const scene = await InferenceScene.open(test, asking(['a', 'b'], bounded), { cap: { maxTokens: 50 } });
    const runId = await scene.start();
    const [one, two] = (await scene.claim()).calls;
    if (!one || !two) throw new Error('two calls are due');
    await scene.execute(one, unknown({ tokensIn: 60 }), { kind: 'again', inMs: 1000 });
    expect(await scene.begin(two)).toEqual({ kind: 'halted' });
    expect(await scene.run(runId)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
  });

  it('on cost counts the reservations of priced sends', async () => {
    const scene = await InferenceScene.open(test, asking(names(3), bounded), { cap: { maxCost: 0.001 } });
    await scene.start();
    const { calls } = await scene.claim();
    const kinds = [];
    for (const call of calls) {
      const price = { input: 1, output: 10 };
      kinds.push((await beginSend(test.engine, call, { processId: scene.processId, price })).kind);
    }
    expect(kinds).toEqual(['send', 'waits', 'waits']);
  });
});

describe('a paused run', () => {
  const pause = (scene: InferenceScene, runId: string) =>
    pauseRun(test.engine, { projectId: scene.projectId, runId, actor: 'ada' });
  const resume = (scene: InferenceScene, runId: string) =>
    resumeRun(test.engine, { projectId: scene.projectId, runId, actor: 'ada' });

  it('sends nothing new, and its deadline moves by the time of the pause', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const [before] = await scene.calls(runId);
    await pause(scene, runId);
    expect((await scene.claim()).calls).toEqual([]);
    clock.advance(3_600_000);
    await resume(scene, runId);
    const call = await scene.claimOne();
    expect(call.deadlineAt.getTime()).toBe((before?.deadlineAt.getTime() ?? 0) + 3_600_000);
    expect(await scene.begin(call)).toMatchObject({ kind: 'send' });
  });

  it('begins no send of a call that was claimed before', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    await pause(scene, runId);
    expect(await scene.begin(call)).toEqual({ kind: 'paused' });
    expect(await scene.calls(runId)).toMatchObject([{ leaseId: null, pausedAt: clock.now() }]);
    await resume(scene, runId);
    expect(await scene.claimOne()).toMatchObject({ runId, sends: 0 });
  });

  it('checkpoints the answer that was in flight, and goes on when it is resumed', async () => {
    const scene = await InferenceScene.open(test, asking(['ask']));
    const runId = await scene.start();
    const call = await scene.claimOne();
    const number = await scene.sent(call);
    await pause(scene, runId);
    expect(await scene.settle(call, succeeded(), ended(number, answered()))).toBe('settled');
    expect(await scene.steps(runId)).toMatchObject([{ status: 'succeeded' }]);
    expect(await scene.run(runId)).toMatchObject({ status: 'paused' });
    await resume(scene, runId);
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });
});

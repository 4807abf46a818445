import { describe, expect, test } from 'vitest';
import { cancelRun, pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { ask, useSite } from './site.ts';

const site = useSite({ inference: { drainMs: 300 } });

/** A started caller whose request hangs at the provider. */
async function hanging(fields = {}) {
  site.fake.answers({ text: ['a', 'b'], usage: { input: 30, output: 2 }, fault: 'hang midway' });
  const caller = site.caller();
  caller.start();
  const runId = await site.asks(ask(fields));
  const request = await site.fake.received();
  return { caller, runId, request };
}

const control = (runId: string) => ({ projectId: site.scene.projectId, runId, actor: 'test' });

describe('a run that ends', () => {
  test('ends the connection of its call at once, and what it used is recorded', async () => {
    const { runId, request, caller } = await hanging();
    await expect.poll(() => site.sends(runId)).toHaveLength(1);
    const beganMs = performance.now();
    await cancelRun(site.test.engine, control(runId));
    expect(await request.closed).toBe('aborted');
    expect(performance.now() - beganMs).toBeLessThan(1_500);
    await caller.idle();
    expect(await site.sends(runId)).toMatchObject([{ outcome: 'unknown' }]);
    expect(await site.usage(runId)).toMatchObject([{ unknown: true }]);
    expect((await site.scene.stepRows(runId))[0]).toMatchObject({ status: 'cancelled' });
  });

  test('leaves a step that shows the send which may have been billed', async () => {
    const { runId, caller } = await hanging();
    await expect.poll(() => site.sends(runId)).toHaveLength(1);
    await cancelRun(site.test.engine, control(runId));
    await caller.idle();
    const [step] = await site.scene.stepRows(runId);
    expect(step).toMatchObject({
      status: 'cancelled',
      ai: { provider: 'anthropic', model: 'some-model', sends: [{ number: 1, outcome: 'unknown' }] },
    });
  });
});

describe('a paused run', () => {
  test('sends nothing new, and keeps what its call in flight answers', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    site.fake.answers(async () => {
      await held;
      return { text: 'late' };
    });
    const caller = site.caller();
    const runId = await site.asks(ask());
    const first = caller.runOnce();
    await site.fake.received();
    await pauseRun(site.test.engine, control(runId));
    answer();
    await first;
    expect((await site.scene.stepRows(runId))[0]).toMatchObject({ status: 'succeeded', output: { text: 'late' } });
    expect(await site.scene.run(runId)).toMatchObject({ status: 'paused' });

    const waiting = await site.asks(ask());
    await pauseRun(site.test.engine, control(waiting));
    await caller.runOnce();
    expect(site.fake.ledger).toHaveLength(1);
    await resumeRun(site.test.engine, control(waiting));
    await caller.runOnce();
    expect((await site.steps(waiting))[0]).toMatchObject({ status: 'succeeded' });
  });
});

describe('a caller that stops', () => {
  test('begins no call any more, and finishes those in flight', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    site.fake.answers(async () => {
      await held;
      return { text: 'done' };
    });
    const caller = site.caller();
    caller.start();
    const runId = await site.asks(ask());
    await site.fake.received();
    const stopped = caller.stop();
    const later = await site.asks(ask());
    answer();
    await stopped;
    expect((await site.steps(runId))[0]).toMatchObject({ status: 'succeeded', output: { text: 'done' } });
    expect((await site.scene.stepRows(later))[0]).toMatchObject({ status: 'waiting' });
    expect(site.fake.ledger).toHaveLength(1);
    expect(await site.test.db.prisma.inferenceProcess.count()).toBe(0);
  });

  test('hands on what takes longer, which another one repeats under the same key', async () => {
    const { caller, runId, request } = await hanging();
    await caller.stop();
    expect(await request.closed).toBe('aborted');
    expect(await site.calls()).toMatchObject([{ leaseId: null, failures: 0 }]);
    expect(await site.sends(runId)).toMatchObject([{ outcome: 'unknown' }]);
    await site.caller().runOnce();
    expect((await site.steps(runId))[0]).toMatchObject({ status: 'succeeded', output: { text: 'Hello.' } });
    const [first, second] = site.fake.ledger.map(({ idempotencyKey }) => idempotencyKey);
    expect(second).toBe(first);
  });

  test('fails the step instead where the request forbids a repetition', async () => {
    const { caller, runId } = await hanging({ onUnknown: 'fail' });
    await caller.stop();
    expect((await site.steps(runId))[0]).toMatchObject({ status: 'failed', error: { name: 'InferenceUnknownError' } });
  });
});

describe('the calls in flight of a process', () => {
  test('are as many as its setting, and further ones follow', async () => {
    const { engine } = site.test;
    engine.settings.limits = { ...engine.settings.limits, inferenceProcessConcurrency: 2 };
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let atOnce = 0;
    let most = 0;
    site.fake.always(async () => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await held;
      atOnce -= 1;
      return { text: 'Hello.' };
    });
    const caller = site.caller();
    caller.start();
    const runId = await site.asks(...Array.from({ length: 7 }, () => ask()));
    await site.fake.received(1);
    expect(caller.stats().calls).toBe(2);
    answer();
    await expect.poll(() => site.calls()).toEqual([]);
    expect((await site.steps(runId)).every(({ status }) => status === 'succeeded')).toBe(true);
    expect(most).toBe(2);
  });
});

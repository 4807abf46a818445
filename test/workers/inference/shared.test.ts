import { describe, expect, onTestFinished, test } from 'vitest';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { createTestProject } from '../../support/engine.ts';
import { ask, useSite } from './site.ts';

const site = useSite();
const asked = (fields = {}) => ask({ temperature: 0, ...fields });

const outputOf = async (runId: string) => {
  const [step] = await site.steps(runId);
  return step;
};

describe('the cache', () => {
  test('answers an equal request without a connection, without spend and without a lane', async () => {
    const first = await site.asks(asked());
    // A look into the cache, then the call itself.
    const caller = site.caller();
    await caller.runOnce();
    await caller.runOnce();
    expect(await outputOf(first)).toMatchObject({
      status: 'succeeded',
      ai: { cacheHit: false },
      usage: { cacheHit: false, tokensIn: 10 },
    });
    await site.test.db.query("update inference_lane set held_until = now() + interval '1 hour', held_for = 'busy'");
    const second = await site.asks(asked());
    await caller.runOnce();
    expect(await outputOf(second)).toMatchObject({
      status: 'succeeded',
      output: { text: 'Hello.', model: 'some-model', finishReason: 'stop', usage: { tokensIn: 0, tokensOut: 0 } },
      ai: { cacheHit: true, sends: [], finishReason: 'stop' },
      usage: { cacheHit: true, tokensIn: 0, tokensOut: 0 },
    });
    expect((await outputOf(second))?.usage).not.toHaveProperty('cost');
    expect(site.fake.ledger).toHaveLength(1);
    expect(await site.usage(second)).toMatchObject([{ cacheHit: true, tokensIn: 0n, tokensOut: 0n, cost: null }]);
  });

  test('answers no request of another project', async () => {
    const caller = site.caller();
    await site.asks(asked());
    await caller.runOnce();
    await caller.runOnce();
    const other = await createTestProject(site.test.engine);
    // The answer is kept after its call was settled.
    await expect.poll(() => site.test.db.prisma.inferenceCache.count()).toBe(1);
    await site.test.db.query('update inference_cache set project_id = $1', [other]);
    await site.asks(asked());
    await caller.runOnce();
    await caller.runOnce();
    expect(site.fake.ledger).toHaveLength(2);
  });

  test.each([
    ['without a temperature', ask()],
    ['above 0.2', asked({ temperature: 0.3 })],
    ['with tools', asked({ tools: [{ name: 't', inputSchema: {} }] })],
    ['that declines', asked({ cache: false })],
  ])('neither serves nor keeps a request %s', async (_, request) => {
    const caller = site.caller();
    for (let n = 1; n <= 2; n += 1) {
      const runId = await site.asks(request);
      await caller.runOnce();
      expect(site.fake.ledger).toHaveLength(n);
      const step = await outputOf(runId);
      expect(step).toMatchObject({ status: 'succeeded' });
      expect(step?.ai).not.toHaveProperty('cacheHit');
      expect(step?.usage).not.toHaveProperty('cacheHit');
    }
    expect(await site.test.db.prisma.inferenceCache.count()).toBe(0);
  });

  test('keeps no answer that was cut off', async () => {
    site.fake.answers({ text: 'He', finish: 'length' });
    await site.asks(asked());
    const caller = site.caller();
    await caller.runOnce();
    await caller.runOnce();
    expect(await site.test.db.prisma.inferenceCache.count()).toBe(0);
  });
});

describe('equal requests at the same time', () => {
  test('lead to one call, whose answer all of them get', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    site.fake.always(async () => {
      await held;
      return { text: 'shared' };
    });
    site.caller().start();
    const runIds = await Promise.all([site.asks(asked(), asked()), site.asks(asked()), site.asks(asked())]);
    await site.fake.received();
    answer();
    await expect.poll(() => site.calls()).toEqual([]);
    for (const runId of runIds) {
      for (const step of await site.steps(runId)) expect(step).toMatchObject({ output: { text: 'shared' } });
    }
    expect(site.fake.ledger).toHaveLength(1);
  });

  test('let one of them go on if the one that they follow fails, and follow that one', async () => {
    site.fake.answers({ refusal: { status: 400, message: 'no' } });
    const runId = await site.asks(...Array.from({ length: 8 }, () => asked()));
    site.caller().start();
    await expect.poll(() => site.calls()).toEqual([]);
    const statuses = (await site.steps(runId)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['failed', ...Array(7).fill('succeeded')]);
    expect(site.fake.ledger).toHaveLength(2);
  });

  test('are each tried once if all of them fail', async () => {
    site.fake.always(() => ({ refusal: { status: 400, message: 'no' } }));
    const runId = await site.asks(...Array.from({ length: 4 }, () => asked()));
    site.caller().start();
    await expect.poll(() => site.calls()).toEqual([]);
    expect((await site.steps(runId)).map(({ status }) => status)).toEqual(Array(4).fill('failed'));
    expect(site.fake.ledger).toHaveLength(4);
  });

  test('go on without the one that they follow if its run is cancelled', async () => {
    const { projectId } = site.scene;
    site.fake.answers({ fault: 'hang after headers' });
    const first = await site.asks(asked());
    site.caller().start();
    await site.fake.received();
    const second = await site.asks(asked(), asked());
    await cancelRun(site.test.engine, { projectId, runId: first, actor: 'ada' });
    await expect.poll(() => site.calls()).toEqual([]);
    const statuses = (await site.steps(second)).map(({ status }) => status);
    expect(statuses).toEqual(['succeeded', 'succeeded']);
    expect(site.fake.ledger).toHaveLength(2);
  });

  test('leave room for other calls of the process while they wait for one', async () => {
    const { engine } = site.test;
    const { limits } = engine.settings;
    onTestFinished(() => {
      engine.settings.limits = limits;
    });
    engine.settings.limits = { ...limits, inferenceConcurrency: 2, inferenceProcessConcurrency: 8 };
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    site.fake.always(async ({ path }) => {
      if (path.includes('messages')) await held;
      return { text: 'shared' };
    });
    site.caller().start();
    const first = await site.asks(asked());
    await site.fake.received();
    const equal = await site.asks(...Array.from({ length: 12 }, () => asked()));
    const other = await site.asks(ask({ provider: 'openai' }));
    await expect.poll(async () => (await site.steps(other))[0]?.status).toBe('succeeded');
    answer();
    await expect.poll(() => site.calls()).toEqual([]);
    for (const runId of [first, equal]) {
      for (const step of await site.steps(runId)) expect(step).toMatchObject({ output: { text: 'shared' } });
    }
    expect(site.fake.ledger).toHaveLength(2);
  });
});

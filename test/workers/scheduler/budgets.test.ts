import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { openScene, spend } from '../../engine/flow/policies/budget/scene.ts';
import { useEngine } from '../../support/engine.ts';

const service = useEngine({ settings: { budgetCheckMs: 25 } });
const schedulers: Scheduler[] = [];

beforeAll(async () => {
  const { db, log, settings } = service.engine;
  // The second shares nothing with the first but the database: no hint of what happens here reaches
  // it.
  schedulers.push(new Scheduler(service.engine), new Scheduler(createEngine({ db, log, settings })));
});
afterAll(() => Promise.all(schedulers.map((scheduler) => scheduler.stop())));

test('without a budget a look is one query, and none follows soon', async () => {
  const asked = vi.spyOn(service.db, 'query');
  const [scheduler] = schedulers;
  expect(await scheduler?.keepBudgets()).toEqual({ again: false, nextInMs: undefined });
  expect(asked).toHaveBeenCalledTimes(1);
  asked.mockRestore();
});

test('budgets pause and resume runs by themselves, at once when they are raised', async () => {
  for (const scheduler of schedulers) scheduler.start();
  const budget = { maxTokens: 100, windowMs: 3_600_000 };
  const scene = await openScene(service, { budget });
  await scene.after(spend(100));
  const first = await scene.start(spend(1));
  await vi.waitFor(async () => expect(await scene.state(first)).toEqual(['paused', 'budget']), { timeout: 10_000 });
  const second = await scene.start(spend(1));
  await vi.waitFor(async () => expect(await scene.state(second)).toEqual(['paused', 'budget']), { timeout: 10_000 });
  await scene.register({ budget: { ...budget, maxTokens: 1000 } });
  await vi.waitFor(
    async () => {
      await scene.dispatcher.runOnce();
      expect(await scene.state(first)).toEqual(['succeeded', null]);
      expect(await scene.state(second)).toEqual(['succeeded', null]);
    },
    { timeout: 10_000 },
  );
});

test('a start that a drained bucket has delayed begins by itself, long before the next look', async () => {
  const scene = await openScene(service, { tokenThrottle: { tokens: 100, perMs: 200 } });
  await scene.after(spend(1000));
  const late = await scene.start();
  expect(await scene.work(late)).toMatchObject({ state: 'parked' });
  await vi.waitFor(async () => expect(await scene.work(late)).toMatchObject({ state: 'ready' }), { timeout: 8_000 });
});

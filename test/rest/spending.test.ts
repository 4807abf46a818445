import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkBudgets } from '../../src/engine/flow/policies/index.ts';
import { call } from '../engine/ai/scene.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../support/scriptedRunner.ts';
import { registerWorkflows } from '../support/workflows.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

it('a budget-paused run says why, /flow-state what is spent, /metrics how many; a drained bucket names the start', async () => {
  const budget = { maxTokens: 100, windowMs: 3_600_000 };
  const bucket = { tokens: 100, perMs: 3_600_000 };
  await registerWorkflows(rest.engine, rest.projectId, [
    { name: 'dear', budget },
    { name: 'paced', tokenThrottle: bucket },
  ]);
  const dispatcher = await new ScriptedDispatcher(rest.engine, (request) =>
    memoOf(request, 'ask') ? complete(1) : steps([call('ask', { tokensIn: 120, tokensOut: 30, cost: 0.5 })]),
  ).start();
  const start = async (name: string): Promise<string> =>
    (await rest.call('POST', `/workflows/default/${name}/trigger`, {})).body.runId;
  for (const name of ['dear', 'paced']) await start(name);
  await dispatcher.runOnce();
  const [held, late] = [await start('dear'), await start('paced')];
  await checkBudgets(rest.engine);

  expect((await rest.call('GET', `/runs/${held}`)).body).toMatchObject({
    status: 'paused',
    pausedBy: { reason: 'budget' },
  });
  const { body: run } = await rest.call('GET', `/runs/${late}`);
  expect(run).toMatchObject({ status: 'queued', startAt: expect.any(String) });
  expect(run).not.toHaveProperty('startedAt');
  expect((await rest.call('GET', '/flow-state')).body).toMatchObject({
    tokenThrottle: [{ app: 'default', workflow: 'paced', available: 0, nextStartAt: run.startAt }],
    budgets: [{ app: 'default', workflow: 'dear', tokens: 150, cost: 0.5, ...budget, paused: 1 }],
  });
  const { text } = await rest.call('GET', '/metrics', undefined, { key: rest.keys.operator });
  expect(text).toContain('holdfast_budget_workflows{state="exceeded"} 1');
  expect(text).toContain('holdfast_budget_paused_runs 1');

  // A manual pause replaces the budget's pause.
  await rest.call('POST', `/runs/${held}/pause`);
  expect((await rest.call('GET', `/runs/${held}`)).body.pausedBy).toMatchObject({ reason: 'manual' });
});

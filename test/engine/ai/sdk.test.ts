import { Holdfast } from '@holdfast/sdk';
import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { registerDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { claimRuns, invokeText, settlePass } from '../../../src/engine/passes/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

/** Runs the only ready run to its end, each pass by the SDK. Returns the number of passes. */
async function runToTheEnd(hf: Holdfast): Promise<number> {
  const dispatcherId = await registerDispatcher(test.engine);
  const lanes = await test.db.prisma.lane.findMany();
  const groups = lanes.map((lane) => ({ laneIds: [lane.id], limit: 1 }));
  const [pass] = (await claimRuns(test.engine, { dispatcherId, groups })).passes;
  if (!pass) throw new Error('nothing was claimed');
  for (let passes = 1; ; passes += 1) {
    const request: InvokeRequest = JSON.parse(invokeText(pass));
    const reply = await hf.invoke(request, new AbortController().signal);
    if (!reply) throw new Error('the pass was aborted');
    if ((await settlePass(test.engine, pass, { kind: 'answer', ...reply, elapsedMs: 1 })) === 'released') return passes;
  }
}

it('the SDK and the service keep a cap between them: the call that reaches it completes, the next is never made', async () => {
  const hf = new Holdfast({ apiKey: 'unused' });
  const made: string[] = [];
  hf.workflow({ id: 'agent', cap: { maxTokens: 100, maxCost: 5 } }, async ({ step }) => {
    const think = (id: string) =>
      step.ai.wrap(id, ({ report }) => {
        made.push(id);
        report({ model: 'm-1', tokensIn: 40, tokensOut: 10, cost: 0.1 });
        return id;
      });
    await step.run('prepare', () => 1);
    await think('plan');
    await think('act');
    await think('review');
  });
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, hf.definitions());
  const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'agent', input: {} });
  await runToTheEnd(hf);
  expect(made).toEqual(['plan', 'act']);
  const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId ?? '' } });
  expect(run).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
  const steps = await test.db.prisma.runStep.findMany({ where: { runId: run.id }, orderBy: { index: 'asc' } });
  expect(steps.map((step) => [step.name, step.status])).toEqual([
    ['prepare', 'succeeded'],
    ['plan', 'succeeded'],
    ['act', 'succeeded'],
    ['review', 'failed'],
  ]);
  expect(steps[1]?.ai).toEqual({ calls: [{ model: 'm-1', tokensIn: 40, tokensOut: 10, cost: 0.1 }] });
  const usage = await test.db.prisma.aiUsage.findMany({ where: { runId: run.id } });
  expect(usage.map((row) => [row.stepIndex, row.model, row.tokensIn, row.tokensOut])).toEqual([
    [1, 'm-1', 40n, 10n],
    [2, 'm-1', 40n, 10n],
  ]);
});

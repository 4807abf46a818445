import { describe, expect, it } from 'vitest';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { memoOf, steps } from '../../support/scriptedRunner.ts';

const test = useEngine();

const sideEffects = [
  { op: 'Emit' as const, name: 'tell', eventName: 'told', data: { n: 1 } },
  { op: 'Score' as const, name: 'rate', data: { name: 'quality', value: 3 } },
  { op: 'Webhook' as const, name: 'post', webhookUrl: 'https://partner.example/', data: { n: 2 } },
  { op: 'RunWorkflow' as const, name: 'call', childName: 'flow' },
  { op: 'Approval' as const, name: 'ask', tool: 'deploy' },
  { op: 'Sleep' as const, name: 'nap', sleepMs: 60_000 },
  { op: 'WaitForEvent' as const, name: 'wait', eventName: 'go' },
  { op: 'StepRun' as const, name: 'done', data: 1 },
  { op: 'StepRun' as const, name: 'flaky', error: { message: 'not yet' } },
];
const fatal = { op: 'StepRun' as const, name: 'fatal', error: { message: 'hopeless' }, retriable: false };
const aiCall = { op: 'StepRun' as const, name: 'ask a model', data: 1, usage: { tokensIn: 50 } };

/** The rows that an ended run leaves outside of its own. */
async function leftBy({ projectId }: { projectId: string }, runId: string) {
  const { prisma } = test.db;
  return {
    events: await prisma.event.findMany({ where: { projectId, sourceRunId: runId }, select: { name: true } }),
    scores: await prisma.score.findMany({ where: { runId }, select: { name: true, value: true } }),
    sends: await prisma.webhookDelivery.findMany({ where: { runId }, select: { eventKind: true, payload: true } }),
    children: await prisma.run.count({ where: { parentRunId: runId } }),
    approvals: await prisma.approval.count({ where: { runId } }),
    waits: await prisma.runWait.count({ where: { runId } }),
  };
}

const allButChildren = {
  events: [{ name: 'told' }],
  scores: [{ name: 'quality', value: 3 }],
  sends: [{ eventKind: 'custom', payload: { n: 2 } }],
  children: 0,
  approvals: 0,
  waits: 0,
};

const statuses = [
  ['tell', 0, 'succeeded'],
  ['rate', 1, 'succeeded'],
  ['post', 2, 'succeeded'],
  ['call', 3, 'cancelled'],
  ['ask', 4, 'cancelled'],
  ['nap', 5, 'cancelled'],
  ['wait', 6, 'cancelled'],
  ['done', 7, 'succeeded'],
  ['flaky', 8, 'failed'],
];

describe('an answer in which a step fails its run', () => {
  it('is recorded in full: ended steps count, and steps that would continue are cancelled before they begin', async () => {
    const flow = { name: 'flow', retry: { maxAttempts: 3 } };
    const scene = await openScene(test, () => steps([...sideEffects, fatal]), flow);
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'failed', error: { message: 'hopeless' } });
    const rows = await scene.stepRows(runId);
    expect(rows.map(({ name, index, status }) => [name, index, status])).toEqual([...statuses, ['fatal', 9, 'failed']]);
    expect(rows.filter((row) => row.willRetry || row.childRunId !== null)).toEqual([]);
    expect(await leftBy(scene, runId)).toEqual(allButChildren);
  });

  it('is also recorded in full if its AI step came after the cap had been reached', async () => {
    const scene = await openScene(
      test,
      (request) =>
        memoOf(request, 'ask a model') ? steps([...sideEffects, { ...aiCall, name: 'ask again' }]) : steps([aiCall]),
      { name: 'flow', retry: { maxAttempts: 3 }, cap: { maxTokens: 50 } },
    );
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    expect(await scene.run(runId)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
    const rows = (await scene.stepRows(runId)).slice(1);
    expect(rows.map(({ name, index, status }) => [name, index - 1, status])).toEqual([
      ...statuses,
      ['ask again', 9, 'succeeded'],
    ]);
    expect(await leftBy(scene, runId)).toEqual(allButChildren);
  });

  it('has each of its steps in the journal, before the end of the run', async () => {
    const scene = await openScene(test, () => steps([...sideEffects, fatal]));
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const told = (await scene.frames(runId)).slice(2);
    expect(told.map(({ kind, step, status }) => [kind, step, status])).toEqual([
      ...statuses.map(([name, , status]) => ['step_status', name, status]),
      ['step_status', 'fatal', 'failed'],
      ['run_status', undefined, 'failed'],
    ]);
  });
});

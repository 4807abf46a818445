import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { beforeStatement } from '../../support/interruptedDatabase.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const failing = { op: 'StepRun' as const, name: 'flaky', error: { message: 'no luck' } };
const nap = { op: 'Sleep' as const, name: 'nap', sleepMs: 600_000 };

/**
 * A run whose steps have three attempts, a minute or a little more apart, invoked for the first
 * time.
 */
async function startFlaky(script: Script) {
  const projectId = await createTestProject(test.engine);
  const retry = { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 60_000 } as const;
  await registerWorkflows(test.engine, projectId, [{ name: 'flow', retry }]);
  const dispatcher = await new ScriptedDispatcher(test.engine, script).start();
  const { runId } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  if (!runId) throw new Error('no run was started');
  await dispatcher.runOnce();
  const requests = () => dispatcher.requests.filter((request) => request.ctx.runId === runId);
  const run = () => test.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
  const attempts = () => test.db.prisma.runStep.count({ where: { runId, name: 'flaky' } });
  const rows = () => test.db.prisma.runStep.findMany({ where: { runId } });
  return { dispatcher, projectId, runId, requests, run, attempts, rows };
}

describe('a retry', () => {
  it('stays pending for a pass whose run ended before the invoke: no handler sees it as final', async () => {
    const { runId, projectId } = await startFlaky((request) =>
      steps(memoOf(request, 'go') ? [] : [failing, { op: 'WaitForEvent', name: 'go', eventName: 'go' }]),
    );
    await sendEvent(test.engine, { projectId, input: { name: 'go' } });
    const cancel = () => cancelRun(test.engine, { projectId, runId, actor: 'test' });
    const db = beforeStatement(test.db, 'loadMemos', cancel);
    const late = await new ScriptedDispatcher(createEngine({ ...test.engine, db }), () => steps([])).start();
    await late.runOnce();
    expect(late.requests).toHaveLength(1);
    expect(late.requests.map((request) => [memoOf(request, 'flaky'), memoOf(request, 'go')])).toEqual([
      [{ pending: true }, expect.objectContaining({ data: expect.objectContaining({ name: 'go' }) })],
    ]);
  });

  it('does not begin early, neither after the first attempt nor after the second', async () => {
    const { dispatcher, requests, attempts } = await startFlaky(() => steps([failing]));
    clock.advance(70_000);
    await dispatcher.runOnce();
    expect(await attempts()).toBe(2);
    expect(requests()).toHaveLength(2);
    clock.advance(50_000);
    await dispatcher.runOnce();
    expect(requests()).toHaveLength(2);
  });

  it('does not begin early if a runner reports the pending step', async () => {
    const { requests, attempts } = await startFlaky((request) =>
      steps(memoOf(request, 'other') ? [failing] : [failing, { op: 'StepRun', name: 'other', data: 1 }]),
    );
    expect(requests()).toHaveLength(2);
    expect(Object.values(requests()[1]?.steps ?? {})).toContainEqual({
      pending: true,
    });
    expect(await attempts()).toBe(1);
  });

  it('that is pending when its run is cancelled is withdrawn', async () => {
    const { dispatcher, runId, projectId, rows } = await startFlaky(() => steps([failing]));
    clock.advance(70_000);
    await wakeDueRuns(test.engine);
    expect((await dispatcher.claim()).map((pass) => pass.runId)).toContain(runId);
    await cancelRun(test.engine, { projectId, runId, actor: 'test' });
    expect(await rows()).toMatchObject([{ attempt: 1, status: 'failed', willRetry: false }]);
  });

  it('that the handler skipped is withdrawn when the handler returns', async () => {
    const { dispatcher, run, rows } = await startFlaky((request) =>
      request.ctx.stepAttempts ? complete('without it') : steps([failing]),
    );
    clock.advance(70_000);
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded' });
    expect(await rows()).toMatchObject([{ attempt: 1, status: 'failed', willRetry: false }]);
  });

  it('that was executed in the answer that ends the run stays recorded as a retry', async () => {
    const fatal = { ...failing, name: 'fatal', retriable: false };
    const { dispatcher, run, rows } = await startFlaky((request) =>
      steps(request.ctx.stepAttempts ? [failing, fatal] : [failing]),
    );
    clock.advance(70_000);
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'failed' });
    const attempts = (await rows()).filter((row) => row.name === 'flaky').toSorted((a, b) => a.attempt - b.attempt);
    expect(attempts).toMatchObject([
      { attempt: 1, willRetry: true },
      { attempt: 2, willRetry: false },
    ]);
  });

  it('that the runner skips causes no busy loop: the run waits for its other branches', async () => {
    const { dispatcher, requests, run } = await startFlaky((request) =>
      steps(memoOf(request, 'nap') ? [] : [failing, nap]),
    );
    clock.advance(70_000);
    await dispatcher.runOnce();
    expect(requests()).toHaveLength(2);
    expect(await run()).toMatchObject({ status: 'waiting' });
    clock.advance(600_000);
    await dispatcher.runOnce();
    expect(requests()[2]?.ctx.stepAttempts).toBeDefined();
  });

  it('that the runner skips while no other step is pending fails the pass', async () => {
    const { dispatcher, run } = await startFlaky((request) =>
      request.ctx.stepAttempts ? steps([]) : request.ctx.attempt > 1 ? complete(1) : steps([failing]),
    );
    clock.advance(70_000);
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'waiting', attempt: 2 });
  });
});

describe('the retry policy of a step', () => {
  const own =
    (retry: unknown): Script =>
    () =>
      steps([{ ...failing, retry }]);

  it('replaces those fields of the policy of the workflow that it names', async () => {
    const { dispatcher, rows } = await startFlaky(own({ maxAttempts: 2, initialDelayMs: 1000 }));
    expect(await rows()).toMatchObject([{ attempt: 1, willRetry: true }]);
    // `fixed` is the workflow's, with up to 10 % jitter.
    clock.advance(1100);
    await dispatcher.runOnce();
    expect(await rows()).toMatchObject([
      { attempt: 1, willRetry: true },
      { attempt: 2, willRetry: false },
    ]);
  });

  it('fails the step if it is malformed, with an error that names the field', async () => {
    const { rows } = await startFlaky(own({ maxAttempts: 'many' }));
    const message = 'retry.maxAttempts must be an integer from 1 to 2147483647';
    expect(await rows()).toMatchObject([{ attempt: 1, willRetry: false, error: { message } }]);
  });
});

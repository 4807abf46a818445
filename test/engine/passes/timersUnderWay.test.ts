import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { runDoctor } from '../../../src/engine/doctor/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { wakeDueRuns } from '../../../src/engine/work/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, idOf, memoOf, type Script, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

/** Executes a run of a workflow by a script, until it parks or ends. */
async function execute(script: Script) {
  const { engine, db } = test;
  const projectId = await createTestProject(engine);
  await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
  const dispatcher = await new ScriptedDispatcher(engine, script).start();
  const { runId = '' } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
  const drive = async () => {
    for (const pass of await dispatcher.claim()) await dispatcher.drive(pass);
  };
  await drive();
  return {
    projectId,
    dispatcher,
    drive,
    run: () => db.prisma.run.findUniqueOrThrow({ where: { id: runId } }),
    step: (name: string) => db.prisma.runStep.findFirstOrThrow({ where: { runId, name } }),
    frames: () => db.prisma.runFrame.findMany({ where: { runId }, orderBy: { seq: 'asc' } }),
  };
}

const isOpen = (request: InvokeRequest, name: string): boolean => 'pending' in (memoOf(request, name) ?? {});

/**
 * Executes steps of ten seconds each, until the branch that the first pass parked has ended.
 */
const workBeside =
  (parked: Parameters<typeof steps>[0][number]): Script =>
  (request) => {
    const worked = Object.keys(request.steps).length;
    if (worked > 9 || (worked > 0 && !isOpen(request, parked.name ?? ''))) return complete({ worked: worked - 1 });
    clock.advance(10_000);
    const work = { op: 'StepRun', name: `work ${worked}`, data: worked } as const;
    return steps(worked === 0 ? [parked, work] : [work]);
  };

describe('a due timer of a run that another branch keeps executing', () => {
  it('is a sleep that ends at the next step boundary', async () => {
    const { run, step, frames } = await execute(workBeside({ op: 'Sleep', name: 'deadline', sleepMs: 25_000 }));
    expect(await run()).toMatchObject({ status: 'succeeded', result: { worked: 4 } });
    const deadline = await step('deadline');
    expect(deadline).toMatchObject({ status: 'succeeded', output: null, runAfter: null });
    expect((deadline.endedAt?.getTime() ?? 0) - deadline.startedAt.getTime()).toBe(30_000);
    const told = await frames();
    expect(told.map(({ seq }) => Number(seq))).toEqual(told.map((_, position) => position + 1));
    expect(told.map(({ payload }) => payload)).toContainEqual(
      expect.objectContaining({ step: 'deadline', status: 'succeeded', durationMs: 30_000 }),
    );
    expect((await runDoctor(test.engine)).checks.flatMap((each) => each.violations)).toEqual([]);
  });

  it('counts from the call of its sleep, which lies within the pass', async () => {
    const nap = { op: 'Sleep', name: 'nap', sleepMs: 10_000 } as const;
    const lasted = async (agoMs: unknown) => {
      const { run, step } = await execute(() => ({ ...steps([{ ...nap, agoMs }]), elapsedMs: 4_000 }));
      const { startedAt, runAfter, input } = await step('nap');
      expect(await run()).toMatchObject({ status: 'waiting' });
      expect(input).toEqual({ sleepMs: 10_000 });
      expect((runAfter?.getTime() ?? 0) - startedAt.getTime()).toBe(10_000);
      return (runAfter?.getTime() ?? 0) - clock.now().getTime();
    };
    expect(await lasted(3_000)).toBe(7_000);
    expect(await lasted(9_000)).toBe(6_000);
    expect(await lasted(-3_000)).toBe(10_000);
    expect(await lasted('3000')).toBe(10_000);
    expect(await lasted(undefined)).toBe(10_000);
  });

  it('has passed before the commit if its sleep was shorter than the pass', async () => {
    const { run, drive, step } = await execute((request) =>
      memoOf(request, 'nap') === undefined
        ? { ...steps([{ op: 'Sleep', name: 'nap', sleepMs: 100, agoMs: 900 }]), elapsedMs: 1_000 }
        : complete('slept'),
    );
    await wakeDueRuns(test.engine);
    await drive();
    expect(await run()).toMatchObject({ status: 'succeeded', result: 'slept' });
    const { startedAt, endedAt } = await step('nap');
    expect((endedAt?.getTime() ?? 0) - startedAt.getTime()).toBe(900);
    expect((await runDoctor(test.engine)).checks.flatMap((each) => each.violations)).toEqual([]);
  });

  it('is a wait that times out there, and no later event ends it', async () => {
    const wait = { op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 15_000 } as const;
    const { projectId, dispatcher, run } = await execute((request) => {
      const reply = workBeside(wait)(request);
      return isOpen(request, 'go') || !memoOf(request, 'go')
        ? reply
        : steps([{ op: 'Sleep', name: 'nap', sleepMs: 1 }]);
    });
    expect(await run()).toMatchObject({ status: 'waiting' });
    expect(dispatcher.requests.at(-1)?.steps[idOf('go')]).toEqual({ data: null });
    expect(await sendEvent(test.engine, { projectId, input: { name: 'go' } })).toMatchObject({ woke: 0 });
    expect(await test.db.prisma.runWait.count({ where: { projectId } })).toBe(0);
  });

  it('has ended when a run that waited in the queue is executed, after the cause of its wake-up', async () => {
    const { projectId, dispatcher, drive, run } = await execute((request) => {
      if (!memoOf(request, 'go')) {
        return steps([
          { op: 'Sleep', name: 'nap', sleepMs: 1_000 },
          { op: 'WaitForEvent', name: 'go', eventName: 'go' },
        ]);
      }
      return isOpen(request, 'go') ? steps([]) : complete(Object.keys(request.steps));
    });
    expect(await sendEvent(test.engine, { projectId, input: { name: 'go' } })).toMatchObject({ woke: 1 });
    clock.advance(1_000);
    await drive();
    expect(dispatcher.requests.at(-1)?.steps[idOf('nap')]).toEqual({ data: null });
    expect(await run()).toMatchObject({ status: 'succeeded', result: [idOf('go'), idOf('nap')] });
  });
});

import type { InvokeRequest } from '@holdfast/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, idOf, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

it('a memo in memory has its steps in the same order as a memo that is read again', async () => {
  const projectId = await createTestProject(test.engine);
  const retry = { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1_000 } as const;
  await registerWorkflows(test.engine, projectId, [{ name: 'flow', retry }]);
  const failing = { op: 'StepRun', name: 'early', error: { message: 'no' } } as const;
  const told: string[][] = [];
  const namesIn = (request: InvokeRequest): string[] => Object.keys(request.steps);
  const dispatcher = await new ScriptedDispatcher(test.engine, (request) => {
    if (namesIn(request).length < 2) expect(request).not.toHaveProperty('order');
    if (request.ctx.stepAttempts === undefined && !memoOf(request, 'early')) return steps([failing]);
    // Reported first, though the other was discovered before it.
    if (!memoOf(request, 'late')) return steps([{ op: 'StepRun', name: 'late', data: 1 }, failing]);
    told.push(namesIn(request));
    expect(request.order?.slice(0, 2)).toEqual([idOf('early'), idOf('late')]);
    return steps([{ op: 'Sleep', name: 'nap', sleepMs: 1_000 }]);
  }).start();
  await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  await dispatcher.runOnce();
  clock.advance(2_000);
  await dispatcher.runOnce();
  expect(told[0]).toEqual([idOf('early'), idOf('late')]);
  clock.advance(2_000);
  await dispatcher.runOnce();
  for (const each of told) expect(each.slice(0, 2)).toEqual(told[0]);
  expect(told.length).toBeGreaterThan(1);
});

describe('the memo names the shorter of two sleeps that end together first', () => {
  const naps = [
    { op: 'Sleep', name: 'long', sleepMs: 20_000 },
    { op: 'Sleep', name: 'short', sleepMs: 5_000 },
  ] as const;
  const work = (name: string) => ({ op: 'StepRun', name, data: 1 }) as const;

  it.each([
    ['of a run that was not woken in time', false],
    ['of a run that another branch kept busy', true],
  ])('%s', async (_case, isBusy) => {
    const projectId = await createTestProject(test.engine);
    await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
    const ids = ['short', 'long'].map((name) => idOf(name));
    const dispatcher = await new ScriptedDispatcher(test.engine, (request) => {
      if (Object.keys(request.steps).length === 0) return steps(isBusy ? [...naps, work('first')] : [...naps]);
      if (!('pending' in (memoOf(request, 'long') ?? {})))
        return complete(Object.keys(request.steps).filter((id) => ids.includes(id)));
      clock.advance(30_000);
      return steps([work('second')]);
    }).start();
    const { runId = '' } = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
    await dispatcher.runOnce();
    clock.advance(30_000);
    await dispatcher.runOnce();
    const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId } });
    expect(run.result).toEqual(ids);
    const frames = await test.db.prisma.runFrame.findMany({ where: { runId }, orderBy: { seq: 'asc' } });
    expect(frames.flatMap(({ payload }) => (isNap(payload) ? [payload.step] : []))).toEqual(['short', 'long']);
  });

  function isNap(payload: unknown): payload is { step: string } {
    if (typeof payload !== 'object' || payload === null || !('step' in payload) || !('status' in payload)) return false;
    return payload.status === 'succeeded' && naps.some(({ name }) => name === payload.step);
  }
});

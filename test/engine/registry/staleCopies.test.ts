import type { WireWorkflow } from '@holdfast/sdk/protocol';
import { describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { bulkReplayRuns, replayRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

/** A project, and a process that cached its state after `before` and receives no changes. */
async function remote(before?: (projectId: string) => Promise<unknown>) {
  const projectId = await createTestProject(test.engine);
  await before?.(projectId);
  const { db, log, clock, settings } = test.engine;
  const engine = createEngine({ db, log, clock, settings });
  await engine.registry.snapshot(projectId);
  return { projectId, engine };
}

const register = (projectId: string, workflow: WireWorkflow = { name: 'w' }) =>
  registerWorkflows(test.engine, projectId, [workflow], { runner: `of ${workflow.name}` });

const once = { maxAttempts: 1 };

const suspend = (projectId: string, suspended: boolean) => updateProject(test.engine, { id: projectId, suspended });

const trigger = (engine: EngineContext, projectId: string) =>
  triggerWorkflow(engine, { projectId, app: 'default', name: 'w', input: {} });

async function execute(engine: EngineContext, script: Script): Promise<void> {
  await (await new ScriptedDispatcher(engine, script).start()).runOnce();
}

/** An ended run of a workflow that its process knows. */
async function ended(engine: EngineContext, projectId: string): Promise<string> {
  const { runId } = await trigger(engine, projectId);
  await execute(engine, () => complete('done'));
  return runId ?? '';
}

describe('a process that missed the hint of a registration', () => {
  it('accepts an event for the workflow', async () => {
    const { projectId, engine } = await remote();
    await register(projectId);
    const { triggered } = await sendEvent(engine, { projectId, input: { name: 'w', targetApp: 'default' } });
    expect(triggered).toMatchObject([{ workflow: 'w' }]);
  });

  it('starts the workflow by a trigger', async () => {
    const { projectId, engine } = await remote();
    await register(projectId);
    expect((await trigger(engine, projectId)).runId).toEqual(expect.any(String));
  });

  it('replays a run of the workflow', async () => {
    const { projectId, engine } = await remote();
    await register(projectId);
    const runId = await ended(test.engine, projectId);
    expect(await replayRun(engine, { projectId, runId, actor: undefined })).toMatchObject({ replayOf: runId });
  });

  it('replays many runs although it knows only some of their workflows', async () => {
    const { projectId, engine } = await remote((id) => register(id, { name: 'known' }));
    await register(projectId);
    await ended(test.engine, projectId);
    await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'known', input: {} });
    await execute(test.engine, () => complete('done'));
    const filter = { status: 'succeeded' } as const;
    expect(await bulkReplayRuns(engine, { projectId, filter, actor: undefined })).toMatchObject({ done: 2, failed: 0 });
  });

  it('handles a failure by the current definition', async () => {
    const { projectId, engine } = await remote((id) => register(id, { name: 'w', retry: once }));
    const { runId } = await trigger(engine, projectId);
    await register(projectId, { name: 'w', retry: once, onFailure: true });
    await execute(engine, () => thrown({ message: 'boom' }));
    await vi.waitFor(async () =>
      expect(await test.db.prisma.run.findMany({ where: { projectId, onFailureOf: runId ?? '' } })).toHaveLength(1),
    );
  });

  it('retries a run by the current retry policy', async () => {
    const { projectId, engine } = await remote((id) => register(id, { name: 'w', retry: once }));
    const { runId } = await trigger(engine, projectId);
    await register(projectId, { name: 'w', retry: { maxAttempts: 2, initialDelayMs: 60_000 } });
    await execute(engine, () => thrown({ message: 'boom' }));
    const run = await test.db.prisma.run.findUniqueOrThrow({ where: { id: runId ?? '' } });
    expect(run).toMatchObject({ status: 'waiting', attempt: 2 });
  });

  it('retries a step by the current retry policy, even a step that calls a child', async () => {
    const script: Script = (request) => {
      if (request.ctx.workflow === 'child') return thrown({ message: 'boom' });
      return steps([
        { op: 'StepRun', name: 'own', error: { message: 'boom' } },
        { op: 'RunWorkflow', name: 'call', childName: 'child' },
      ]);
    };
    const { projectId, engine } = await remote(async (id) => {
      await register(id, { name: 'w', retry: once });
      await register(id, { name: 'child', retry: once });
    });
    const { runId } = await trigger(engine, projectId);
    await register(projectId, { name: 'w', retry: { maxAttempts: 2, initialDelayMs: 60_000 } });
    await execute(engine, script);
    await vi.waitFor(async () =>
      expect(await test.db.prisma.runStep.findMany({ where: { runId: runId ?? '' } })).toMatchObject([
        { status: 'failed', willRetry: true },
        { status: 'failed', willRetry: true },
      ]),
    );
  });
});

describe('a process that missed the hint of a resumed project', () => {
  it('starts runs by triggers', async () => {
    const { projectId, engine } = await remote(async (id) => {
      await register(id);
      await suspend(id, true);
    });
    await suspend(projectId, false);
    expect((await trigger(engine, projectId)).runId).toEqual(expect.any(String));
  });

  it('replays runs', async () => {
    let runId = '';
    const { projectId, engine } = await remote(async (id) => {
      await register(id);
      runId = await ended(test.engine, id);
      await suspend(id, true);
    });
    await suspend(projectId, false);
    expect(await replayRun(engine, { projectId, runId, actor: undefined })).toMatchObject({ replayOf: runId });
  });

  it('handles failures', async () => {
    const { projectId, engine } = await remote((id) => register(id, { name: 'w', retry: once, onFailure: true }));
    const { runId } = await trigger(engine, projectId);
    await suspend(projectId, true);
    engine.registry.invalidate(projectId);
    await engine.registry.snapshot(projectId);
    await suspend(projectId, false);
    await execute(engine, () => thrown({ message: 'boom' }));
    await vi.waitFor(async () =>
      expect(await test.db.prisma.run.findMany({ where: { projectId, onFailureOf: runId ?? '' } })).toHaveLength(1),
    );
  });
});

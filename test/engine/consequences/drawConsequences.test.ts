import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { recoverConsequences } from '../../../src/engine/consequences/index.ts';
import type { EngineContext } from '../../../src/engine/context.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { refusingOnce } from '../../support/refusingDatabase.ts';
import { answer, complete, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const test = useEngine();

/** A run that waits for its child, which is over. */
async function startWithEndedChild(): Promise<{ parentId: string; childId: string }> {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'parent' }, { name: 'child' }]);
  const engine = createEngine({ db: refusingOnce(test.db, 'loadOutcomes'), log: pino({ level: 'silent' }) });
  const dispatcher = await new ScriptedDispatcher(engine, ({ ctx }) =>
    ctx.workflow === 'child' ? complete(1) : steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]),
  ).start();
  const { runId: parentId } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'parent', input: {} });
  if (!parentId) throw new Error('no run was started');
  await dispatcher.runOnce();
  await dispatcher.runOnce();
  const child = await test.db.prisma.run.findFirstOrThrow({ where: { parentRunId: parentId } });
  return { parentId, childId: child.id };
}

describe('consequences of a run that is over', () => {
  it('which the database would not have drawn at once are drawn a moment later, without anybody asking', async () => {
    const { parentId, childId } = await startWithEndedChild();
    expect(await test.db.prisma.run.findUnique({ where: { id: childId } })).toMatchObject({ status: 'succeeded' });
    await vi.waitFor(async () => {
      expect(await test.db.prisma.runWork.findUnique({ where: { runId: parentId } })).toMatchObject({ state: 'ready' });
      expect(await test.db.prisma.runOutcome.count()).toBe(0);
    });
  });

  it('in a suspended project start the follow-on run of a failure once it is resumed', async () => {
    const clock = new ManualClock();
    const { settings } = test.engine;
    const engine = createEngine({ db: test.db, log: pino({ level: 'silent' }), clock, settings });
    const projectId = await createTestProject(engine);
    await registerWorkflows(engine, projectId, [{ name: 'flow', onFailure: true }]);
    const dispatcher = await new ScriptedDispatcher(engine, ({ ctx }) =>
      ctx.onFailure ? complete('handled') : answer(500, { error: { message: 'no' }, logs: [] }),
    ).start();
    const { runId } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
    await updateProject(engine, { id: projectId, suspended: true });
    await dispatcher.runOnce();
    const followOns = () => test.db.prisma.run.findMany({ where: { onFailureOf: runId ?? '' } });
    await vi.waitFor(async () => expect(await held(projectId)).toBe(1));
    clock.advance(60_000);
    expect(await recoverConsequences(engine)).toBe(0);
    expect(await followOns()).toEqual([]);
    await updateProject(engine, { id: projectId, suspended: false });
    expect(await recoverConsequences(engine)).toBe(1);
    expect(await recoverConsequences(engine)).toBe(0);
    await dispatcher.runOnce();
    expect(await followOns()).toMatchObject([{ status: 'succeeded', result: 'handled' }]);
  });
});

describe('the run that follows a failure', () => {
  /** A run pinned to a runner, which failed as `fail` says. */
  async function followOnOf(fail: (engine: EngineContext, clock: ManualClock) => Promise<void>) {
    const clock = new ManualClock();
    const { db, settings } = test.engine;
    const engine = createEngine({ db, log: pino({ level: 'silent' }), clock, settings });
    const projectId = await createTestProject(engine);
    await registerWorkflows(engine, projectId, [{ name: 'flow', onFailure: true }], { runner: 'once' });
    const input = { runner: 'once' };
    const { runId = '' } = await triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input });
    await fail(engine, clock);
    const longWait = { timeout: 20_000 };
    return vi.waitFor(() => test.db.prisma.run.findFirstOrThrow({ where: { onFailureOf: runId } }), longWait);
  }

  it('has the pin of the run that failed', async () => {
    const followOn = await followOnOf(async (engine) => {
      const no = answer(500, { error: { message: 'no' }, logs: [] });
      const dispatcher = await new ScriptedDispatcher(engine, () => no).start();
      for (const pass of await dispatcher.claim()) await dispatcher.drive(pass);
    });
    expect(followOn).toMatchObject({ runner: 'once' });
  });

  it('has no pin where that runner was missing', async () => {
    const followOn = await followOnOf(async (engine, clock) => {
      clock.advance(engine.settings.runnerLivenessMs + 1);
      await lookAfterStranded(engine);
      clock.advance(engine.settings.noRunnerWaitMs);
      await failOverdueRuns(engine);
    });
    expect(followOn).toMatchObject({ runner: null });
  });
});

const held = (projectId: string) => test.db.prisma.runOutcome.count({ where: { heldFor: projectId } });

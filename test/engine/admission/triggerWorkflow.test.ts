import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

/**
 * A project whose runner registered the workflow `flow`, and is silent since the liveness window
 * ended.
 */
async function withGoneRunner(): Promise<(runner?: string) => ReturnType<typeof triggerWorkflow>> {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }, { name: 'other' }], { runner: 'once' });
  await registerWorkflows(test.engine, projectId, [{ name: 'other' }], { runner: 'elsewhere' });
  clock.advance(test.engine.settings.runnerLivenessMs + 1);
  return (runner) => triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: { runner } });
}

describe('a manual trigger without a live runner', () => {
  it('is refused without a pin, or with a pin to a runner that never registered the workflow', async () => {
    const trigger = await withGoneRunner();
    await expect(trigger()).rejects.toMatchObject({ kind: 'noRunner' });
    await expect(trigger('never')).rejects.toMatchObject({ kind: 'noRunner' });
    await expect(trigger('elsewhere')).rejects.toMatchObject({ kind: 'noRunner' });
  });

  it('starts a run that waits for its known pinned runner, and then fails with an error that names it', async () => {
    const trigger = await withGoneRunner();
    const { runId: id } = await trigger('once');
    const run = () => test.db.prisma.run.findUniqueOrThrow({ where: { id: id ?? '' } });
    await lookAfterStranded(test.engine);
    expect(await run()).toMatchObject({ status: 'waiting', runner: 'once' });
    clock.advance(test.engine.settings.noRunnerWaitMs);
    await failOverdueRuns(test.engine);
    expect(await run()).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('once') } });
  });
});

describe('a manual trigger by a process whose clock is wrong', () => {
  const awayMs = 100_000;

  /**
   * A project whose only runner was last seen `silentMs` ago by the database's clock. The clock of
   * the triggering process is `aheadMs` ahead, or behind.
   */
  async function triggerAt(aheadMs: number, silentMs: number) {
    const { db, log, settings } = test.engine;
    const engine = createEngine({
      db,
      log,
      settings,
      clock: { now: () => new Date(Date.now() + aheadMs), sql: () => null },
    });
    const projectId = await createTestProject(engine);
    await registerWorkflows(engine, projectId, [{ name: 'flow' }]);
    const { lastSeenAt } = await db.prisma.runner.findFirstOrThrow({ where: { projectId } });
    const seenAt = new Date(lastSeenAt.getTime() - silentMs);
    await db.prisma.runner.updateMany({ where: { projectId }, data: { lastSeenAt: seenAt } });
    return () => triggerWorkflow(engine, { projectId, app: 'default', name: 'flow', input: {} });
  }

  it('is accepted if the database saw a runner just now, however far ahead the process is', async () => {
    const trigger = await triggerAt(awayMs, 0);
    expect((await trigger()).runId).toEqual(expect.any(String));
  });

  it('is refused if the database saw no runner within the liveness window, however far behind the process is', async () => {
    const trigger = await triggerAt(-awayMs, awayMs);
    await expect(trigger()).rejects.toMatchObject({ kind: 'noRunner' });
  });
});

import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/engine/assembly/createEngine.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { type Pass, settlePass } from '../../../src/engine/passes/index.ts';
import { releaseRuns, wakeDueRuns } from '../../../src/engine/work/index.ts';
import { useEngine } from '../../support/engine.ts';
import { somebodyWaits } from '../../support/lockWaits.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { useScenes } from '../control/scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const newScene = useScenes(test);

const oneStep: Script = (request) =>
  memoOf(request, 'a') ? complete('done') : steps([{ op: 'StepRun', name: 'a', data: 1 }]);

/**
 * Lets a claim look at the database, and stops it there while `meanwhile` happens: it waits for the
 * row of its dispatcher, which it locks before it picks any run.
 */
async function claimAcross(claimant: ScriptedDispatcher, meanwhile: () => Promise<unknown>): Promise<Pass[]> {
  const { db } = test;
  const { claiming } = await db.transaction(async (tx) => {
    await tx.query('select from dispatcher where id = $1 for update', [claimant.id]);
    const claim = claimant.claim();
    await somebodyWaits(db);
    await meanwhile();
    return { claiming: claim };
  });
  return claiming;
}

describe('a claim with a snapshot from before a change of the run', () => {
  it('does not execute the run under its former status', async () => {
    const { start, pause, resume, run, work, statuses, claimOne, dispatcher } = await newScene({ flow: oneStep });
    const runId = await start('flow');
    await claimOne(runId);
    await releaseRuns(test.engine, dispatcher.id, [runId]);
    expect(await run(runId)).toMatchObject({ status: 'running' });

    const passes = await claimAcross(dispatcher, async () => {
      await pause(runId);
      await resume(runId);
    });
    for (const pass of passes) expect(await run(pass.runId)).toMatchObject({ status: 'running' });
    if (passes.length === 0) expect(await work(runId)).toMatchObject({ state: 'ready', leaseId: null });
    for (const pass of passes) await dispatcher.drive(pass);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await statuses(runId)).toEqual(['queued', 'running', 'paused', 'queued', 'running', 'succeeded']);
  });

  it('does not execute the run as its former attempt', async () => {
    const { projectId, start, run, dispatcher } = await newScene({ flow: oneStep });
    await registerWorkflows(test.engine, projectId, [
      { name: 'flow', retry: { maxAttempts: 2, initialDelayMs: 1, backoff: 'fixed' } },
    ]);
    const { db } = test;
    const engine = createEngine({ db, clock, log: pino({ level: 'silent' }) });
    const rival = await new ScriptedDispatcher(engine, oneStep).start();
    const runId = await start('flow');

    const passes = await claimAcross(dispatcher, async () => {
      const [pass] = await rival.claim();
      if (!pass) throw new Error('the rival got nothing');
      await settlePass(engine, pass, thrown({ message: 'first attempt' }));
      clock.advance(1_000);
      await wakeDueRuns(engine);
    });
    for (const pass of passes) expect(pass.attempt).toBe(2);
    for (const pass of passes) await dispatcher.drive(pass);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });
});

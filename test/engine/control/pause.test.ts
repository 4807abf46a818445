import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { pauseRun } from '../../../src/engine/control/index.ts';
import { retireDispatcher, tickDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { releaseRuns } from '../../../src/engine/work/index.ts';
import { beatAlone } from '../../support/beatAlone.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, ScriptedDispatcher, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { pausedBy, twoSteps } from './handlers.ts';
import { openScene, useScenes } from './scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const newScene = useScenes(test);

describe('pausing', () => {
  it('stops a queued run at once, and a paused run cannot be claimed', async () => {
    const { start, pause, resume, run, settle, dispatcher, statuses } = await newScene({ flow: twoSteps });
    const runId = await start('flow');
    expect(await pause(runId)).toMatchObject({ status: 'paused', ...pausedBy });
    expect(await dispatcher.claim()).toEqual([]);
    expect(await resume(runId)).toMatchObject({ status: 'queued', pausedReason: null, pausedActor: null });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await statuses(runId)).toEqual(['queued', 'paused', 'queued', 'running', 'succeeded']);
  });

  it('records in the journal who paused, and the reason', async () => {
    const { start, pause } = await newScene({ flow: twoSteps });
    const runId = await start('flow');
    await pause(runId);
    const frame = await test.db.prisma.runFrame.findFirstOrThrow({ where: { runId, seq: 2 } });
    expect(frame.payload).toEqual({ status: 'paused', pausedBy: { reason: 'manual', actor: 'ops key' } });
  });

  it('of a paused run changes nothing', async () => {
    const { start, pause, projectId, statuses, run } = await newScene({ flow: twoSteps });
    const runId = await start('flow');
    await pause(runId);
    const again = await pauseRun(test.engine, { projectId, runId, actor: 'another key' });
    expect(again).toMatchObject({ status: 'paused', ...pausedBy });
    expect(await run(runId)).toMatchObject(pausedBy);
    expect(await statuses(runId)).toEqual(['queued', 'paused']);
  });

  it('lets the executing step finish, and stops before the next one', async () => {
    const {
      start,
      pause,
      resume,
      run,
      steps: rows,
      settle,
      claimOne,
      dispatcher,
      statuses,
    } = await newScene({
      flow: twoSteps,
    });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    expect(await pause(runId)).toMatchObject({ status: 'running', ...pausedBy });
    await dispatcher.drive(pass);
    expect(dispatcher.requests).toHaveLength(1);
    expect(await run(runId)).toMatchObject({ status: 'paused', ...pausedBy });
    expect((await rows(runId)).map((step) => [step.name, step.status])).toEqual([['a', 'succeeded']]);
    await settle();
    expect(dispatcher.requests).toHaveLength(1);
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
    expect((await rows(runId)).map((step) => [step.name, step.attempt])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(await statuses(runId)).toEqual(['queued', 'running', 'paused', 'queued', 'running', 'succeeded']);
  });

  it('has no effect on a pass that ends the run', async () => {
    const { start, pause, resume, run, claimOne, dispatcher } = await newScene({ flow: () => complete('over') });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'succeeded', pausedReason: null, pausedActor: null });
    await expect(pause(runId)).rejects.toThrow('run already in a terminal state');
    await expect(resume(runId)).rejects.toThrow('run already in a terminal state');
  });

  it.each(['succeeded', 'failed'])('is refused once a run has %s', async (status) => {
    const script = () => (status === 'failed' ? thrown({ message: 'no' }) : complete(1));
    const { start, pause, settle, audit } = await newScene({ flow: script });
    const runId = await start('flow');
    await settle();
    await expect(pause(runId)).rejects.toMatchObject({ kind: 'conflict', message: 'run already in a terminal state' });
    expect(await audit()).toEqual([]);
  });

  it('of a run of another project, an unknown run, or an invalid id is not found', async () => {
    const { start, pause, resume } = await newScene({ flow: twoSteps });
    const other = await openScene(test, { flow: twoSteps });
    const runId = await start('flow');
    for (const attempt of [
      () => other.pause(runId),
      () => other.resume(runId),
      () => pause(newId()),
      () => resume('x'),
    ])
      await expect(attempt()).rejects.toMatchObject({ kind: 'notFound', message: 'run not found' });
    expect(await other.audit()).toEqual([]);
  });

  it('takes effect if the dispatcher dies during the pass', async () => {
    const { start, pause, resume, run, work, settle, claimOne, dispatcher, statuses } = await newScene({
      flow: twoSteps,
    });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    const other = await new ScriptedDispatcher(test.engine, twoSteps).start();
    await beatAlone(test.engine, other.id, (ms) => clock.advance(ms));
    expect(await work(runId)).toMatchObject({ state: 'paused', pausing: false, leaseId: null, resumeState: 'ready' });
    expect(await run(runId)).toMatchObject({ status: 'paused', ...pausedBy });
    expect(await settlePass(test.engine, pass, complete('late'))).toBe('released');
    await tickDispatcher(test.engine, dispatcher.id);
    await resume(runId);
    await other.runOnce();
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await statuses(runId)).toEqual(['queued', 'running', 'paused', 'queued', 'running', 'succeeded']);
  });

  it('takes effect if the run is released unexecuted, or its dispatcher retires', async () => {
    const { start, pause, resume, run, claimOne, dispatcher } = await newScene({ flow: twoSteps });
    const runId = await start('flow');
    await claimOne(runId);
    await pause(runId);
    await releaseRuns(test.engine, dispatcher.id, [runId]);
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    await resume(runId);
    await claimOne(runId);
    await pause(runId);
    await retireDispatcher(test.engine, dispatcher.id);
    expect(await run(runId)).toMatchObject({ status: 'paused', ...pausedBy });
    await resume(runId);
  });

  it('takes effect if the pass is unanswered, and the backoff continues meanwhile', async () => {
    const { start, pause, resume, run, work, claimOne } = await newScene({ flow: twoSteps });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    const reply = { kind: 'transport', reason: 'refused', socketLost: false } as const;
    expect(await settlePass(test.engine, pass, reply)).toBe('released');
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect(await work(runId)).toMatchObject({ state: 'paused', resumeState: 'parked', unanswered: 1 });
    expect(await resume(runId)).toMatchObject({ status: 'waiting' });
    await pause(runId);
    clock.advance(600);
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
  });

  it('takes effect if the handler throws, and the retry is due afterwards', async () => {
    let throws = true;
    const { projectId, start, pause, resume, run, claimOne, dispatcher, settle } = await newScene({
      flow: () => (throws ? thrown({ message: 'flaky' }) : complete('fine')),
    });
    const retrying = { name: 'flow', retry: { maxAttempts: 3 } };
    await registerWorkflows(test.engine, projectId, [retrying]);
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    await dispatcher.drive(pass);
    throws = false;
    expect(await run(runId)).toMatchObject({ status: 'paused', attempt: 2 });
    clock.advance(10_000);
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  it('and a claim: the first wins, and neither is lost', async () => {
    const { start, pause, run, work, dispatcher } = await newScene({ flow: twoSteps });
    for (let round = 0; round < 10; round += 1) {
      const runId = await start('flow');
      const [passes] = await Promise.all([dispatcher.claim(), pause(runId)]);
      const [pass] = passes;
      if (pass) {
        expect(await work(runId)).toMatchObject({ state: 'leased', pausing: true });
        await dispatcher.drive(pass);
      }
      expect(await run(runId)).toMatchObject({ status: 'paused' });
    }
  });
});

import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { resumeRuns } from '../../../src/engine/work/sql/resumeRuns.ts';
import { useEngine } from '../../support/engine.ts';
import { somebodyWaits } from '../../support/lockWaits.ts';
import { complete, memoOf, type Script, steps } from '../../support/scriptedRunner.ts';
import { awaiting, nap, twoSteps } from './handlers.ts';
import { dataOf, useScenes } from './scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const newScene = useScenes(test);

const send = (projectId: string, name: string) =>
  sendEvent(test.engine, { projectId, input: { name, data: RawJson.of({ n: 1 }) } });

describe('a paused run', () => {
  it('continues to sleep if resumed early, and wakes in time', async () => {
    const { start, pause, resume, run, settle, statuses } = await newScene({ flow: nap });
    const runId = await start('flow');
    await settle();
    expect(await pause(runId)).toMatchObject({ status: 'paused' });
    clock.advance(30_000);
    expect(await resume(runId)).toMatchObject({ status: 'waiting' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    clock.advance(30_000);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'woke' });
    expect(await statuses(runId)).toEqual([
      'queued',
      'running',
      'waiting',
      'paused',
      'waiting',
      'queued',
      'running',
      'succeeded',
    ]);
  });

  it('is not woken by a timer; a timer that came due meanwhile fires at the resumption', async () => {
    const { start, pause, resume, run, settle, steps: rows, frames } = await newScene({ flow: nap });
    const runId = await start('flow');
    await settle();
    await pause(runId);
    clock.advance(61_000);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect((await rows(runId))[0]).toMatchObject({ status: 'waiting' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    expect((await rows(runId))[0]).toMatchObject({ status: 'succeeded' });
    expect((await frames(runId)).slice(-3)).toEqual([
      ['run_status', 'paused'],
      ['step_status', 'succeeded'],
      ['run_status', 'queued'],
    ]);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('is not woken by an event after the timeout of its wait, fired or not', async () => {
    const { projectId, start, pause, resume, run, settle } = await newScene({ flow: awaiting });
    const [late, early] = [await start('flow'), await start('flow')];
    await settle();
    await pause(late);
    clock.advance(90_000);
    expect(await send(projectId, 'go')).toMatchObject({ woke: 0 });
    expect(await resume(late)).toMatchObject({ status: 'queued' });
    await settle();
    for (const runId of [late, early]) expect(await run(runId)).toMatchObject({ status: 'succeeded', result: null });
  });

  it('records the awaited event, and continues only after it is resumed', async () => {
    const { projectId, start, pause, resume, run, settle, steps: rows } = await newScene({ flow: awaiting });
    const runId = await start('flow');
    await settle();
    await pause(runId);
    expect(await send(projectId, 'go')).toMatchObject({ woke: 1 });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect((await rows(runId))[0]).toMatchObject({ status: 'succeeded' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { name: 'go', data: { n: 1 } } });
  });

  it('keeps an event that arrived during its last pass', async () => {
    const both = steps([
      { op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 90_000 },
      { op: 'StepRun', name: 'a', data: 1 },
    ]);
    const script: Script = (request) => {
      const memo = memoOf(request, 'go');
      if (!memo) return both;
      return 'pending' in memo ? steps([]) : complete('got it');
    };
    const { projectId, start, pause, resume, run, work, settle, claimOne } = await newScene({ flow: script });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    expect(await settlePass(test.engine, pass, both)).toBe('again');
    await pause(runId);
    expect(await send(projectId, 'go')).toMatchObject({ woke: 1 });
    expect(await settlePass(test.engine, pass, steps([]))).toBe('released');
    expect(await work(runId)).toMatchObject({ state: 'paused', resumeState: 'ready' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'got it' });
  });

  it('records the end of its child, and continues only after it is resumed', async () => {
    const { start, pause, resume, run, settle } = await newScene({
      parent: (request) => {
        const memo = memoOf(request, 'call');
        if (!memo) return steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]);
        return 'pending' in memo ? steps([]) : complete(dataOf(request, 'call'));
      },
      child: nap,
    });
    const runId = await start('parent');
    await settle();
    await pause(runId);
    clock.advance(61_000);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'woke' });
  });

  it('whose pass is retried later is examined by the timers, although its sleep has ended', async () => {
    const begun = steps([
      { op: 'Sleep', name: 'nap', sleepMs: 100 },
      { op: 'StepRun', name: 'a', data: 1 },
    ]);
    const silent = { kind: 'transport', reason: 'refused', socketLost: false } as const;
    const { start, pause, resume, settle, work } = await newScene({
      flow: (request) => {
        const memo = memoOf(request, 'nap');
        if (!memo) return begun;
        return 'pending' in memo ? silent : complete(1);
      },
    });
    const runId = await start('flow');
    await settle();
    await pause(runId);
    clock.advance(200);
    const due: number[] = [];
    const unsubscribe = test.engine.bus.on('work.due', ({ inMs }) => due.push(inMs));
    await resume(runId);
    unsubscribe();
    expect(await work(runId)).toMatchObject({ state: 'parked' });
    expect(due).toEqual([0]);
    clock.advance(300);
    await settle();
  });

  it('needs attention again when it is resumed while its approval is open', async () => {
    const approval = steps([{ op: 'Approval', name: 'ok?', tool: 'refund', data: {} }]);
    const { start, pause, resume, settle, run, statuses } = await newScene({ flow: () => approval });
    const runId = await start('flow');
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'needs_attention' });
    await pause(runId);
    expect(await resume(runId)).toMatchObject({ status: 'needs_attention' });
    expect(await statuses(runId)).toEqual(['queued', 'running', 'needs_attention', 'paused', 'needs_attention']);
  });

  it('waits for a runner after it is resumed, for the time that was left at the pause', async () => {
    const { projectId, start, pause, resume, run, work } = await newScene({ flow: twoSteps });
    const { engine, db } = test;
    const runId = await start('flow');
    await db.query({ text: 'update runner set connected = false where project_id = $1', values: [projectId] });
    await lookAfterStranded(engine);
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    for (const pausedMs of [400_000, 50_000]) {
      clock.advance(100_000);
      await pause(runId);
      clock.advance(pausedMs);
      await failOverdueRuns(engine);
      expect(await run(runId)).toMatchObject({ status: 'paused' });
      expect(await resume(runId)).toMatchObject({ status: 'queued' });
      await lookAfterStranded(engine);
      expect(await work(runId)).toMatchObject({ state: 'stranded' });
    }
    clock.advance(99_000);
    await failOverdueRuns(engine);
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    clock.advance(1_000);
    await failOverdueRuns(engine);
    expect(await run(runId)).toMatchObject({ status: 'failed' });
  });

  it('can be cancelled, and so can one whose pause has not taken effect', async () => {
    const { start, pause, run, call, claimOne, dispatcher, settle, work } = await newScene({ flow: twoSteps });
    const paused = await start('flow');
    await pause(paused);
    await cancelRun(test.engine, call(paused));
    const pausing = await start('flow');
    const pass = await claimOne(pausing);
    await pause(pausing);
    await cancelRun(test.engine, call(pausing));
    await dispatcher.drive(pass);
    for (const id of [paused, pausing]) {
      expect(await run(id)).toMatchObject({ status: 'cancelled', pausedReason: null, pausedActor: null });
      expect(await work(id)).toBeNull();
      await expect(cancelRun(test.engine, call(id))).rejects.toThrow('run already in a terminal state');
    }
    await settle();
  });

  it('is cancelled with its parent', async () => {
    const { start, pause, run, call, settle } = await newScene({
      parent: () => steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]),
      child: nap,
    });
    const runId = await start('parent');
    await settle();
    const child = await test.db.prisma.run.findFirstOrThrow({ where: { parentRunId: runId } });
    await pause(child.id);
    await pause(runId);
    await cancelRun(test.engine, call(runId));
    await settle();
    expect(await run(child.id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('resuming', () => {
  it('is refused unless the run is paused', async () => {
    const { start, resume, settle } = await newScene({ flow: nap });
    const runId = await start('flow');
    await expect(resume(runId)).rejects.toMatchObject({ kind: 'conflict', message: 'run is not paused' });
    await settle();
    await expect(resume(runId)).rejects.toThrow('run is not paused');
  });

  it('withdraws a pause that has not taken effect: the run continues unchanged', async () => {
    const { start, pause, resume, run, claimOne, dispatcher, statuses } = await newScene({ flow: twoSteps });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    expect(await resume(runId)).toMatchObject({ status: 'running', pausedReason: null });
    await expect(resume(runId)).rejects.toThrow('run is not paused');
    await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await statuses(runId)).toEqual(['queued', 'running', 'succeeded']);
  });

  it('twice at once succeeds once', async () => {
    const { start, pause, resume, statuses, audit } = await newScene({ flow: nap });
    const runId = await start('flow');
    await pause(runId);
    const outcomes = await Promise.allSettled([resume(runId), resume(runId), resume(runId)]);
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
    expect(await statuses(runId)).toEqual(['queued', 'paused', 'queued']);
    expect((await audit()).map((entry) => entry.action)).toEqual(['pause', 'resume']);
  });

  it('and the commit of the pass leave the run executing, in either order', async () => {
    const { start, pause, resume, run, claimOne, dispatcher, settle } = await newScene({ flow: twoSteps });
    for (let round = 0; round < 10; round += 1) {
      const runId = await start('flow');
      const pass = await claimOne(runId);
      await pause(runId);
      await Promise.all([dispatcher.drive(pass), resume(runId)]);
      await settle();
      expect(await run(runId)).toMatchObject({ status: 'succeeded', pausedReason: null });
    }
  });

  it('while an event waits for its lock still wakes the run by that event', async () => {
    const { projectId, start, pause, run, settle, statuses } = await newScene({ flow: awaiting });
    const { db } = test;
    const runId = await start('flow');
    await settle();
    await pause(runId);
    const sending = await db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const sent = send(projectId, 'go');
      await somebodyWaits(db);
      await resumeRuns(tx, { projectId, runIds: [runId], now: clock.sql() });
      return { sent };
    });
    expect(await sending.sent).toMatchObject({ woke: 1 });
    expect(await run(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await statuses(runId)).toEqual([
      'queued',
      'running',
      'waiting',
      'paused',
      'waiting',
      'queued',
      'running',
      'succeeded',
    ]);
  });

  it('and a simultaneous event are both effective', async () => {
    const { projectId, start, pause, resume, run, settle } = await newScene({ flow: awaiting });
    for (let round = 0; round < 5; round += 1) {
      const runId = await start('flow');
      await settle();
      await pause(runId);
      await Promise.all([send(projectId, 'go'), resume(runId)]);
      await settle();
      expect(await run(runId)).toMatchObject({ status: 'succeeded' });
    }
  });
});

it('every call that was accepted is in the audit log, with the name of its key', async () => {
  const { start, pause, resume, call, audit } = await newScene({ flow: nap });
  const runId = await start('flow');
  await pause(runId);
  await resume(runId);
  await cancelRun(test.engine, call(runId));
  expect((await audit()).map(({ action, actor, runId: about }) => ({ action, actor, about }))).toEqual(
    ['pause', 'resume', 'cancel'].map((action) => ({ action, actor: 'ops key', about: runId })),
  );
});

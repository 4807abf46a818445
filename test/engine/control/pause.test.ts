import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { cancelRun, pauseRun } from '../../../src/engine/control/index.ts';
import { resumeRuns } from '../../../src/engine/control/sql/resumeRuns.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { releaseRuns, retireDispatcher, silenceMs, tickDispatcher } from '../../../src/engine/work/index.ts';
import { lockRuns } from '../../../src/engine/work/sql/lockRuns.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { createScene, dataOf } from './scene.ts';

let scene: Awaited<ReturnType<typeof createScene>>;
let current: Awaited<ReturnType<typeof scene.scenario>> | undefined;

beforeAll(async () => {
  scene = await createScene();
});
afterEach(() => current?.finish());
afterAll(() => scene.test.close());

const scenario = async (handlers: Record<string, Script>) => {
  current = await scene.scenario(handlers);
  return current;
};

const twoSteps: Script = (request) => {
  for (const name of ['a', 'b']) if (!memoOf(request, name)) return steps([{ op: 'StepRun', name, data: name }]);
  return complete('done');
};
const nap: Script = (request) =>
  dataOf(request, 'nap') === null ? complete('woke') : steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]);
const awaiting: Script = (request) => {
  const memo = memoOf(request, 'go');
  if (!memo || 'pending' in memo)
    return steps([{ op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 90_000 }]);
  return complete(dataOf(request, 'go'));
};
const pausedBy = { pausedReason: 'manual', pausedActor: 'ops key' };
const send = (projectId: string, name: string) =>
  sendEvent(scene.test.engine, { projectId, input: { name, data: RawJson.of({ n: 1 }) } });

describe('pausing', () => {
  it('stops a queued run at once, and a paused run cannot be claimed', async () => {
    const { start, pause, resume, run, settle, dispatcher, statuses } = await scenario({ flow: twoSteps });
    const runId = await start('flow');
    expect(await pause(runId)).toMatchObject({ status: 'paused', ...pausedBy });
    expect(await dispatcher.claim()).toEqual([]);
    expect(await resume(runId)).toMatchObject({ status: 'queued', pausedReason: null, pausedActor: null });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await statuses(runId)).toEqual(['queued', 'paused', 'queued', 'running', 'succeeded']);
  });

  it('tells in the journal who paused and why', async () => {
    const { start, pause } = await scenario({ flow: twoSteps });
    const runId = await start('flow');
    await pause(runId);
    const frame = await scene.test.db.prisma.runFrame.findFirstOrThrow({ where: { runId, seq: 2 } });
    expect(frame.payload).toEqual({ status: 'paused', pausedBy: { reason: 'manual', actor: 'ops key' } });
  });

  it('of a paused run changes nothing', async () => {
    const { start, pause, projectId, statuses, run } = await scenario({ flow: twoSteps });
    const runId = await start('flow');
    await pause(runId);
    const again = await pauseRun(scene.test.engine, { projectId, runId, actor: 'another key' });
    expect(again).toMatchObject({ status: 'paused', ...pausedBy });
    expect(await run(runId)).toMatchObject(pausedBy);
    expect(await statuses(runId)).toEqual(['queued', 'paused']);
  });

  it('lets the step in flight finish, and stops before the next one', async () => {
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
    } = await scenario({
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
    const { start, pause, resume, run, claimOne, dispatcher } = await scenario({ flow: () => complete('over') });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'succeeded', pausedReason: null, pausedActor: null });
    await expect(pause(runId)).rejects.toThrow('run already in a terminal state');
    await expect(resume(runId)).rejects.toThrow('run is not paused');
  });

  it.each(['succeeded', 'failed'])('is refused once a run has %s', async (status) => {
    const script = () => (status === 'failed' ? thrown({ message: 'no' }) : complete(1));
    const { start, pause, settle, audit } = await scenario({ flow: script });
    const runId = await start('flow');
    await settle();
    await expect(pause(runId)).rejects.toMatchObject({ kind: 'conflict', message: 'run already in a terminal state' });
    expect(await audit()).toEqual([]);
  });

  it('of another project’s run, of none and of what is no id finds nothing', async () => {
    const { start, pause, resume } = await scenario({ flow: twoSteps });
    const other = await scene.scenario({ flow: twoSteps });
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

  it('takes hold when the dispatcher dies under the pass', async () => {
    const { start, pause, resume, run, work, settle, claimOne, dispatcher, statuses } = await scenario({
      flow: twoSteps,
    });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    const other = await new ScriptedDispatcher(scene.test.engine, twoSteps).start();
    scene.clock.advance(silenceMs + 1);
    await tickDispatcher(scene.test.engine, other.id);
    expect(await work(runId)).toMatchObject({ state: 'paused', pausing: false, leaseId: null, resumeState: 'ready' });
    expect(await run(runId)).toMatchObject({ status: 'paused', ...pausedBy });
    expect(await settlePass(scene.test.engine, pass, complete('late'))).toBe('released');
    await tickDispatcher(scene.test.engine, dispatcher.id);
    await resume(runId);
    await other.runOnce();
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await statuses(runId)).toEqual(['queued', 'running', 'paused', 'queued', 'running', 'succeeded']);
  });

  it('takes hold when the run is handed back unexecuted, or its dispatcher retires', async () => {
    const { start, pause, resume, run, claimOne, dispatcher } = await scenario({ flow: twoSteps });
    const runId = await start('flow');
    await claimOne(runId);
    await pause(runId);
    await releaseRuns(scene.test.engine, dispatcher.id, [runId]);
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    await resume(runId);
    await claimOne(runId);
    await pause(runId);
    await retireDispatcher(scene.test.engine, dispatcher.id);
    expect(await run(runId)).toMatchObject({ status: 'paused', ...pausedBy });
    await resume(runId);
  });

  it('takes hold when nobody answers the pass, and the back-off goes on beneath', async () => {
    const { start, pause, resume, run, work, claimOne } = await scenario({ flow: twoSteps });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    const reply = { kind: 'transport', reason: 'refused', socketLost: false } as const;
    expect(await settlePass(scene.test.engine, pass, reply)).toBe('released');
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect(await work(runId)).toMatchObject({ state: 'paused', resumeState: 'parked', transportFailures: 1 });
    expect(await resume(runId)).toMatchObject({ status: 'waiting' });
    await pause(runId);
    scene.clock.advance(600);
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
  });

  it('takes hold when the handler throws, and the retry is due after it', async () => {
    let throws = true;
    const { projectId, start, pause, resume, run, claimOne, dispatcher, settle } = await scenario({
      flow: () => (throws ? thrown({ message: 'flaky' }) : complete('fine')),
    });
    const retrying = { name: 'flow', retry: { maxAttempts: 3 } };
    await registerWorkflows(scene.test.engine, projectId, [retrying]);
    const runId = await start('flow');
    const pass = await claimOne(runId);
    await pause(runId);
    await dispatcher.drive(pass);
    throws = false;
    expect(await run(runId)).toMatchObject({ status: 'paused', attempt: 2 });
    scene.clock.advance(10_000);
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  it('and a claim: whoever is first wins, and neither is lost', async () => {
    const { start, pause, run, work, dispatcher } = await scenario({ flow: twoSteps });
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

describe('a paused run', () => {
  it('sleeps on when resumed before its time, and wakes then', async () => {
    const { start, pause, resume, run, settle, statuses } = await scenario({ flow: nap });
    const runId = await start('flow');
    await settle();
    expect(await pause(runId)).toMatchObject({ status: 'paused' });
    scene.clock.advance(30_000);
    expect(await resume(runId)).toMatchObject({ status: 'waiting' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    scene.clock.advance(30_000);
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

  it('does not wake by a timer; one that came due meanwhile fires with the resumption', async () => {
    const { start, pause, resume, run, settle, steps: rows } = await scenario({ flow: nap });
    const runId = await start('flow');
    await settle();
    await pause(runId);
    scene.clock.advance(61_000);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect((await rows(runId))[0]).toMatchObject({ status: 'waiting' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    expect((await rows(runId))[0]).toMatchObject({ status: 'succeeded' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('records the event that it waits for, and goes on only after it is resumed', async () => {
    const { projectId, start, pause, resume, run, settle, steps: rows } = await scenario({ flow: awaiting });
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

  it('has an event that came in flight, after its pause took hold', async () => {
    const both = steps([
      { op: 'WaitForEvent', name: 'go', eventName: 'go', timeoutMs: 90_000 },
      { op: 'StepRun', name: 'a', data: 1 },
    ]);
    const script: Script = (request) => {
      const memo = memoOf(request, 'go');
      if (!memo) return both;
      return 'pending' in memo ? steps([]) : complete('got it');
    };
    const { projectId, start, pause, resume, run, work, settle, claimOne } = await scenario({ flow: script });
    const runId = await start('flow');
    const pass = await claimOne(runId);
    expect(await settlePass(scene.test.engine, pass, both)).toBe('again');
    await pause(runId);
    expect(await send(projectId, 'go')).toMatchObject({ woke: 1 });
    expect(await settlePass(scene.test.engine, pass, steps([]))).toBe('released');
    expect(await work(runId)).toMatchObject({ state: 'paused', resumeState: 'ready' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'got it' });
  });

  it('hears of its child’s end, and goes on only after it is resumed', async () => {
    const { start, pause, resume, run, settle } = await scenario({
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
    scene.clock.advance(61_000);
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'woke' });
  });

  it('needs attention again when it is resumed while its approval is open', async () => {
    const approval = steps([{ op: 'Approval', name: 'ok?', tool: 'refund', data: {} }]);
    const { start, pause, resume, settle, run, statuses } = await scenario({ flow: () => approval });
    const runId = await start('flow');
    await settle();
    expect(await run(runId)).toMatchObject({ status: 'needs_attention' });
    await pause(runId);
    expect(await resume(runId)).toMatchObject({ status: 'needs_attention' });
    expect(await statuses(runId)).toEqual(['queued', 'running', 'needs_attention', 'paused', 'needs_attention']);
  });

  it('gives up no wait for a runner: that begins anew once it is resumed', async () => {
    const { projectId, start, pause, resume, run, work } = await scenario({ flow: twoSteps });
    const { engine, db } = scene.test;
    const runId = await start('flow');
    await db.query({ text: 'update runner set connected = false where project_id = $1', values: [projectId] });
    await lookAfterStranded(engine);
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    await pause(runId);
    scene.clock.advance(400_000);
    await failOverdueRuns(engine);
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect(await resume(runId)).toMatchObject({ status: 'queued' });
    await lookAfterStranded(engine);
    await failOverdueRuns(engine);
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    expect(await work(runId)).toMatchObject({ state: 'stranded' });
  });

  it('can be cancelled, and so can one whose pause has not taken effect', async () => {
    const { start, pause, run, call, claimOne, dispatcher, settle, work } = await scenario({ flow: twoSteps });
    const paused = await start('flow');
    await pause(paused);
    await cancelRun(scene.test.engine, call(paused));
    const pausing = await start('flow');
    const pass = await claimOne(pausing);
    await pause(pausing);
    await cancelRun(scene.test.engine, call(pausing));
    await dispatcher.drive(pass);
    for (const id of [paused, pausing]) {
      expect(await run(id)).toMatchObject({ status: 'cancelled', pausedReason: null, pausedActor: null });
      expect(await work(id)).toBeNull();
      await expect(cancelRun(scene.test.engine, call(id))).rejects.toThrow('run already in a terminal state');
    }
    await settle();
  });

  it('is cancelled with its parent', async () => {
    const { start, pause, run, call, settle } = await scenario({
      parent: () => steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]),
      child: nap,
    });
    const runId = await start('parent');
    await settle();
    const child = await scene.test.db.prisma.run.findFirstOrThrow({ where: { parentRunId: runId } });
    await pause(child.id);
    await pause(runId);
    await cancelRun(scene.test.engine, call(runId));
    await settle();
    expect(await run(child.id)).toMatchObject({ status: 'cancelled' });
  });
});

describe('resuming', () => {
  it('is refused unless the run is paused', async () => {
    const { start, resume, settle } = await scenario({ flow: nap });
    const runId = await start('flow');
    await expect(resume(runId)).rejects.toMatchObject({ kind: 'conflict', message: 'run is not paused' });
    await settle();
    await expect(resume(runId)).rejects.toThrow('run is not paused');
  });

  it('takes back a pause that has not taken effect: the run goes on as if nothing had been', async () => {
    const { start, pause, resume, run, claimOne, dispatcher, statuses } = await scenario({ flow: twoSteps });
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
    const { start, pause, resume, statuses, audit } = await scenario({ flow: nap });
    const runId = await start('flow');
    await pause(runId);
    const outcomes = await Promise.allSettled([resume(runId), resume(runId), resume(runId)]);
    expect(outcomes.filter((each) => each.status === 'fulfilled')).toHaveLength(1);
    expect(await statuses(runId)).toEqual(['queued', 'paused', 'queued']);
    expect((await audit()).map((entry) => entry.action)).toEqual(['pause', 'resume']);
  });

  it('and the commit of the pass in either order leave the run going', async () => {
    const { start, pause, resume, run, claimOne, dispatcher, settle } = await scenario({ flow: twoSteps });
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
    const { projectId, start, pause, run, settle, statuses } = await scenario({ flow: awaiting });
    const { db } = scene.test;
    const runId = await start('flow');
    await settle();
    await pause(runId);
    const sending = await db.transaction(async (tx) => {
      await lockRuns(tx, { runIds: [runId] });
      const sent = send(projectId, 'go');
      await vi.waitFor(async () => {
        const { rows } = await db.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        expect(rows).toHaveLength(1);
      });
      await resumeRuns(tx, { projectId, runIds: [runId], now: scene.clock.sql() });
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

  it('and an event at once lose neither', async () => {
    const { projectId, start, pause, resume, run, settle } = await scenario({ flow: awaiting });
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
  const { start, pause, resume, call, audit } = await scenario({ flow: nap });
  const runId = await start('flow');
  await pause(runId);
  await resume(runId);
  await cancelRun(scene.test.engine, call(runId));
  expect((await audit()).map(({ action, actor, runId: about }) => ({ action, actor, about }))).toEqual(
    ['pause', 'resume', 'cancel'].map((action) => ({ action, actor: 'ops key', about: runId })),
  );
});

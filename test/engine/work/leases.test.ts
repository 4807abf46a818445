import { describe, expect, it } from 'vitest';
import { triggerWorkflow } from '../../../src/engine/admission/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { heartbeatMs, retireDispatcher, silenceMs, tickDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { failOverdueRuns, lookAfterStranded } from '../../../src/engine/routing/index.ts';
import { releaseRuns, releaseSuspects } from '../../../src/engine/work/index.ts';
import { beatAlone } from '../../support/beatAlone.ts';
import { createTestProject, useEngine } from '../../support/engine.ts';
import { complete, memoOf, ScriptedDispatcher, steps } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const script = (request: Parameters<typeof memoOf>[0]) =>
  memoOf(request, 'a') ? complete('done') : steps([{ op: 'StepRun', name: 'a', data: 1 }]);

async function newScene() {
  const projectId = await createTestProject(test.engine);
  await registerWorkflows(test.engine, projectId, [{ name: 'flow' }]);
  const answer = await triggerWorkflow(test.engine, { projectId, app: 'default', name: 'flow', input: {} });
  const run = () => test.db.prisma.run.findUniqueOrThrow({ where: { id: answer.runId ?? '' } });
  const work = () => test.db.prisma.runWork.findUnique({ where: { runId: answer.runId ?? '' } });
  return { projectId, runId: answer.runId ?? '', run, work };
}

const passes = (ms: number): void => clock.advance(ms);

const dispatcher = () => new ScriptedDispatcher(test.engine, script).start();

async function claimOne(from: ScriptedDispatcher) {
  const [pass] = await from.claim();
  if (!pass) throw new Error('nothing was claimed');
  return pass;
}

describe('a leased run', () => {
  it('is claimed by one dispatcher only', async () => {
    await newScene();
    const [one, two] = [await dispatcher(), await dispatcher()];
    const claims = await Promise.all([one.claim(), two.claim()]);
    expect(claims.flat()).toHaveLength(1);
    for (const pass of claims[0] ?? []) await one.drive(pass);
    for (const pass of claims[1] ?? []) await two.drive(pass);
  });

  it('moves to another dispatcher once its own falls silent, and the late commit of the first changes nothing', async () => {
    const { run, work } = await newScene();
    const [first, second] = [await dispatcher(), await dispatcher()];
    const pass = await claimOne(first);
    expect(await beatAlone(test.engine, second.id, passes)).toEqual({ alive: true });
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    await second.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(await settlePass(test.engine, pass, complete('late'))).toBe('released');
    expect(await run()).toMatchObject({ result: 'done' });
    expect(await tickDispatcher(test.engine, first.id)).toEqual({ alive: false });
  });

  it('is not freed while its dispatcher has a heartbeat', async () => {
    const { work } = await newScene();
    const [first, second] = [await dispatcher(), await dispatcher()];
    const pass = await claimOne(first);
    await beatAlone(test.engine, second.id, (ms) => {
      passes(ms);
      return tickDispatcher(test.engine, first.id);
    });
    expect(await work()).toMatchObject({ state: 'leased', leaseId: first.id });
    await first.drive(pass);
  });

  it('is freed later if it was locked when its dispatcher was found dead', async () => {
    const { runId, work } = await newScene();
    const [first, second] = [await dispatcher(), await dispatcher()];
    await claimOne(first);
    const other = await newScene();
    await test.db.transaction(async (tx) => {
      await tx.query('select from run_work where run_id = $1 for update', [runId]);
      await beatAlone(test.engine, second.id, passes);
      expect(await tickDispatcher(test.engine, first.id)).toEqual({ alive: false });
      expect(await first.claim()).toEqual([]);
    });
    expect(await work()).toMatchObject({ state: 'leased', leaseId: first.id });
    expect(await tickDispatcher(test.engine, second.id)).toEqual({ alive: true });
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    expect(await second.runOnce()).toBe(2);
    expect(await other.run()).toMatchObject({ status: 'succeeded' });
  });

  it('keeps the row of a dead dispatcher only until the next beat', async () => {
    const [first, second] = [await dispatcher(), await dispatcher()];
    const isKnown = async () => (await test.db.prisma.dispatcher.count({ where: { id: first.id } })) === 1;
    await beatAlone(test.engine, second.id, passes);
    expect(await isKnown()).toBe(true);
    await tickDispatcher(test.engine, second.id);
    expect(await isKnown()).toBe(false);
  });

  it('returns to the queue when it is released, or when its dispatcher retires', async () => {
    const { work, run } = await newScene();
    const first = await dispatcher();
    const pass = await claimOne(first);
    await releaseRuns(test.engine, first.id, [pass.runId]);
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    expect(await settlePass(test.engine, pass, complete('late'))).toBe('released');
    await claimOne(first);
    await retireDispatcher(test.engine, first.id);
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    await (await dispatcher()).runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });
});

describe('after an outage of the database longer than the silence of the dead', () => {
  it.each([silenceMs - heartbeatMs + 1, silenceMs + 1, 60_000])(
    'of %i ms, no dispatcher that beats again in time is found dead',
    async (outageMs) => {
      const { work } = await newScene();
      const [first, second] = [await dispatcher(), await dispatcher()];
      const pass = await claimOne(first);
      // When the outage began, the first was about to beat, and the second had just beaten.
      clock.advance(heartbeatMs);
      await tickDispatcher(test.engine, second.id);
      clock.advance(outageMs);
      await tickDispatcher(test.engine, second.id);
      clock.advance(heartbeatMs);
      await tickDispatcher(test.engine, second.id);
      expect(await work()).toMatchObject({ state: 'leased', leaseId: first.id });
      expect(await tickDispatcher(test.engine, first.id)).toEqual({ alive: true });
      expect(await beatAlone(test.engine, first.id, passes)).toEqual({ alive: true });
      expect(await tickDispatcher(test.engine, second.id)).toEqual({ alive: false });
      await first.drive(pass);
    },
  );

  it('a dispatcher that starts after it finds dead ones, once it has beaten for some time', async () => {
    const { work } = await newScene();
    await claimOne(await dispatcher());
    clock.advance(60_000);
    const heir = await dispatcher();
    for (const state of ['leased', 'leased', 'ready']) {
      await tickDispatcher(test.engine, heir.id);
      expect(await work()).toMatchObject({ state });
      clock.advance(heartbeatMs);
    }
    await heir.runOnce();
  });
});

describe('a lease that its dispatcher does not know', () => {
  it('is released once a commit of the run is refused, because the database may have lost a commit', async () => {
    const { work, run } = await newScene();
    const one = await dispatcher();
    const pass = await claimOne(one);
    // As after a failover to a server that was behind.
    expect(await settlePass(test.engine, { ...pass, claimNo: pass.claimNo + 1 }, complete('late'))).toBe('released');
    expect(await work()).toMatchObject({ state: 'leased', leaseId: one.id });
    await releaseSuspects(test.engine, one.id);
    expect(await work()).toMatchObject({ state: 'ready', leaseId: null });
    await one.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });
});

describe('a lease that is searched as unknown', () => {
  it('stays if the run was released and leased again between the search and the release', async () => {
    const { runId, work } = await newScene();
    const one = await dispatcher();
    const pass = await claimOne(one);
    await settlePass(test.engine, { ...pass, claimNo: pass.claimNo + 1 }, complete('late'));
    onFailPoint(async (point) => {
      if (point !== 'releaseLeases:before') return;
      onFailPoint(undefined);
      await test.db.query('update run_work set claim_no = claim_no + 2 where run_id = $1', [runId]);
    });
    await releaseSuspects(test.engine, one.id);
    expect(await work()).toMatchObject({ state: 'leased', leaseId: one.id });
    await retireDispatcher(test.engine, one.id);
    await (await dispatcher()).runOnce();
  });
});

describe('a run that no live runner serves', () => {
  const runnerGone = (projectId: string) =>
    test.db.prisma.runner.updateMany({ where: { projectId }, data: { connected: false } });

  it('parks, and fails after the wait with a reason that names the workflow', async () => {
    const { projectId, run } = await newScene();
    await runnerGone(projectId);
    expect(await lookAfterStranded(test.engine)).toMatchObject({ stranded: 1 });
    expect(await run()).toMatchObject({ status: 'waiting' });
    clock.advance(test.engine.settings.noRunnerWaitMs - 1000);
    expect(await failOverdueRuns(test.engine)).toEqual({ failed: 0, revived: 0 });
    clock.advance(1001);
    expect(await failOverdueRuns(test.engine)).toEqual({ failed: 1, revived: 0 });
    expect(await run()).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('workflow flow') },
    });
  });

  it('is queued again when a runner connects', async () => {
    const { projectId, run } = await newScene();
    await runnerGone(projectId);
    await lookAfterStranded(test.engine);
    await test.db.prisma.runner.updateMany({
      where: { projectId },
      data: { connected: true, lastSeenAt: clock.now() },
    });
    expect(await lookAfterStranded(test.engine)).toMatchObject({ revived: 1 });
    expect(await run()).toMatchObject({ status: 'queued' });
    await (await dispatcher()).runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });
});

describe('a run whose wait for a runner has timed out', () => {
  it('continues, instead of failing, if an unannounced runner is live', async () => {
    const { projectId, run } = await newScene();
    await test.db.prisma.runner.updateMany({ where: { projectId }, data: { connected: false } });
    await lookAfterStranded(test.engine);
    clock.advance(test.engine.settings.noRunnerWaitMs + 1);
    await test.db.prisma.runner.updateMany({
      where: { projectId },
      data: { connected: true, lastSeenAt: clock.now() },
    });
    expect(await failOverdueRuns(test.engine)).toEqual({ failed: 0, revived: 1 });
    expect(await run()).toMatchObject({ status: 'queued' });
    await (await dispatcher()).runOnce();
  });

  it('did not wait for a runner while it was queued for one that was live', async () => {
    const { projectId, run } = await newScene();
    const connect = (connected: boolean) =>
      test.db.prisma.runner.updateMany({ where: { projectId }, data: { connected, lastSeenAt: clock.now() } });
    await connect(false);
    await lookAfterStranded(test.engine);
    await connect(true);
    await lookAfterStranded(test.engine);
    clock.advance(2 * test.engine.settings.noRunnerWaitMs);
    await connect(false);
    await lookAfterStranded(test.engine);
    expect(await failOverdueRuns(test.engine)).toEqual({ failed: 0, revived: 0 });
    clock.advance(test.engine.settings.noRunnerWaitMs - 1);
    expect(await failOverdueRuns(test.engine)).toEqual({ failed: 0, revived: 0 });
    clock.advance(1);
    expect(await failOverdueRuns(test.engine)).toEqual({ failed: 1, revived: 0 });
    expect(await run()).toMatchObject({ status: 'failed' });
  });

  it('is examined then, even if its wait had begun before a pause', async () => {
    const { projectId, runId } = await newScene();
    const due: number[] = [];
    const unsubscribe = test.engine.bus.on('work.due', ({ inMs }) => due.push(inMs));
    await test.db.prisma.runner.updateMany({ where: { projectId }, data: { connected: false } });
    await lookAfterStranded(test.engine);
    clock.advance(100_000);
    await pauseRun(test.engine, { projectId, runId, actor: 'ops key' });
    clock.advance(test.engine.settings.noRunnerWaitMs);
    await resumeRun(test.engine, { projectId, runId, actor: 'ops key' });
    await lookAfterStranded(test.engine);
    unsubscribe();
    const { noRunnerWaitMs } = test.engine.settings;
    expect(due).toEqual([noRunnerWaitMs, noRunnerWaitMs - 100_000]);
    clock.advance(noRunnerWaitMs);
    await failOverdueRuns(test.engine);
  });
});

describe('an unanswered pass', () => {
  it('is sent again at once after the first lost socket, and with a delay after the next', async () => {
    const { run } = await newScene();
    const one = await dispatcher();
    const pass = await claimOne(one);
    const lost = { kind: 'transport', reason: 'socket lost', socketLost: true } as const;
    expect(await settlePass(test.engine, pass, lost)).toBe('again');
    expect(await settlePass(test.engine, pass, lost)).toBe('released');
    expect(await run()).toMatchObject({ status: 'waiting' });
    clock.advance(2_000);
    await one.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });

  it('has its first lost socket counted in every next claim', async () => {
    const { run } = await newScene();
    const [one, two] = [await dispatcher(), await dispatcher()];
    const lost = { kind: 'transport', reason: 'socket lost', socketLost: true } as const;
    const pass = await claimOne(one);
    expect(await settlePass(test.engine, pass, lost)).toBe('again');
    // Without another runner, the run is released. A later claim follows once a runner connects.
    await releaseRuns(test.engine, one.id, [pass.runId]);
    expect(await settlePass(test.engine, await claimOne(two), lost)).toBe('released');
    expect(await run()).toMatchObject({ status: 'waiting' });
    clock.advance(2_000);
    await two.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded' });
  });

  it('fails its run after ten unanswered tries in a row', async () => {
    const { run } = await newScene();
    const one = await new ScriptedDispatcher(test.engine, () => ({
      kind: 'transport',
      reason: 'refused',
      socketLost: false,
    })).start();
    for (let failures = 0; failures < 10; failures += 1) {
      expect(await run()).not.toMatchObject({ status: 'failed' });
      await one.runOnce();
      clock.advance(31_000);
    }
    expect(await run()).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('runner did not answer: ') },
    });
  });
});

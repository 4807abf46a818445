import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { replayRun, retryRunFromStep } from '../../../src/engine/control/index.ts';
import { onFailPoint } from '../../../src/engine/db/failPoints.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';
import { call, openScene } from './scene.ts';

const clock = new ManualClock();

const test = useEngine({ clock });
afterEach(() => onFailPoint(undefined));

const paid = { model: 'm-1', tokensIn: 10, tokensOut: 5, cost: 0.5, latencyMs: 20, cacheHit: false };

describe('an AI step', () => {
  it('leaves one row of its reported fields', async () => {
    const { dispatcher, start, usage, projectId } = await openScene(test, (request) =>
      memoOf(request, 'b')
        ? complete(1)
        : steps([call('a', paid), call('b', {}), { op: 'StepRun', name: 'c', data: 1 }]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await usage(runId)).toEqual([
      {
        runId,
        stepIndex: 0,
        attempt: 1,
        projectId,
        app: 'default',
        workflow: 'flow',
        model: 'm-1',
        tokensIn: 10n,
        tokensOut: 5n,
        cost: 0.5,
        latencyMs: 20,
        cacheHit: false,
        send: 0,
        unknown: false,
        createdAt: clock.now(),
      },
      expect.objectContaining({
        stepIndex: 1,
        model: null,
        tokensIn: null,
        cost: null,
        latencyMs: null,
        cacheHit: null,
      }),
    ]);
  });

  it('counts each attempt that reports usage, also failed ones', async () => {
    const {
      dispatcher,
      start,
      usage,
      steps: rows,
    } = await openScene(
      test,
      (request) => {
        if (memoOf(request, 'a')) return complete(1);
        const attempt = Object.values(request.ctx.stepAttempts ?? {})[0] ?? 1;
        return steps([call('a', { tokensIn: attempt }, attempt < 3 ? { error: { message: 'overloaded' } } : {})]);
      },
      { maxAttempts: 3 },
    );
    const runId = await start();
    await dispatcher.runOnce();
    for (let retry = 0; retry < 2; retry += 1) {
      clock.advance(2000);
      await dispatcher.runOnce();
    }
    expect(await rows(runId)).toMatchObject([{ status: 'failed' }, { status: 'failed' }, { status: 'succeeded' }]);
    expect((await usage(runId)).map((row) => [row.attempt, row.tokensIn])).toEqual([
      [1, 1n],
      [2, 2n],
      [3, 3n],
    ]);
  });

  it('that fails the run counts, and so do those beside it', async () => {
    const fatal = { error: { message: 'refused' }, retriable: false };
    const { dispatcher, start, usage, run } = await openScene(test, () =>
      steps([call('a', paid), call('b', paid, fatal), { op: 'Sleep', name: 'nap', sleepMs: 5 }]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'failed' });
    expect((await usage(runId)).map((row) => row.stepIndex)).toEqual([0, 1]);
  });

  it('counts beside steps that do more than being recorded', async () => {
    const { dispatcher, start, usage, run } = await openScene(test, (request) =>
      memoOf(request, 'tell') ? complete(1) : steps([call('a', paid), { op: 'Emit', name: 'tell', eventName: 'told' }]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await usage(runId)).toHaveLength(1);
    expect(await test.db.prisma.event.count({ where: { sourceRunId: runId } })).toBe(1);
  });

  it('that is reported again changes nothing', async () => {
    const {
      dispatcher,
      start,
      usage,
      steps: rows,
    } = await openScene(test, (request) =>
      memoOf(request, 'b') ? complete(1) : steps([call('a', paid), ...(memoOf(request, 'a') ? [call('b', paid)] : [])]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await rows(runId)).toHaveLength(2);
    expect(await usage(runId)).toHaveLength(2);
  });

  it('that is reported after the lease was lost leaves no row', async () => {
    const { dispatcher, start, usage, steps: rows } = await openScene(test, () => steps([call('a', paid)]));
    const runId = await start();
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    await test.db.query({ text: 'update run_work set claim_no = claim_no + 1 where run_id = $1', values: [runId] });
    await settlePass(test.engine, pass, steps([call('a', paid)]));
    expect(await rows(runId)).toEqual([]);
    expect(await usage(runId)).toEqual([]);
  });

  it.each(['insertUsage:before', 'insertUsage:after', 'commitPasses:before', 'commitPasses:after'])(
    'whose commit breaks off at %s is recorded with its usage, or without either',
    async (point) => {
      let broken = false;
      const {
        dispatcher,
        start,
        usage,
        steps: rows,
      } = await openScene(test, (request) => (memoOf(request, 'a') ? complete(1) : steps([call('a', paid)])));
      const runId = await start();
      onFailPoint((reached) => {
        if (reached !== point || broken) return;
        broken = true;
        throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      });
      await dispatcher.runOnce();
      expect(broken).toBe(true);
      expect(await rows(runId)).toHaveLength(1);
      expect(await usage(runId)).toHaveLength(1);
    },
  );
});

describe('a fork', () => {
  it('does not count the calls of steps that it carries along: the run that made them did', async () => {
    const {
      dispatcher,
      start,
      usage,
      steps: rows,
      projectId,
    } = await openScene(test, (request) => {
      if (memoOf(request, 'b')) return complete(1);
      return steps([memoOf(request, 'a') ? call('b', paid) : call('a', paid)]);
    });
    const runId = await start();
    await dispatcher.runOnce();
    const { id: retried } = await retryRunFromStep(test.engine, { projectId, runId, step: 'b', actor: 'test' });
    const { id: replayed } = await replayRun(test.engine, { projectId, runId, actor: 'test' });
    await dispatcher.runOnce();
    expect(await rows(retried)).toHaveLength(2);
    expect((await usage(retried)).map((row) => row.stepIndex)).toEqual([1]);
    expect((await usage(replayed)).map((row) => row.stepIndex)).toEqual([0, 1]);
    expect(await usage(runId)).toHaveLength(2);
  });
});

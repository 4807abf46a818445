import { describe, expect, it } from 'vitest';
import { expireApprovals } from '../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { selectRunSteps } from '../../../src/engine/runs/index.ts';
import { nextDueInMs } from '../../../src/engine/work/index.ts';
import { Scheduler } from '../../../src/workers/scheduler/index.ts';
import { createTestEngine, useEngine } from '../../support/engine.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';
import { ask, findings, scene, signed } from './scene.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const timeoutMs = 60_000;

/** A run whose approval has a deadline, on a database where nothing else is due. */
async function waiting(onTimeout?: string) {
  const made = await scene(test.engine, signed({ timeoutMs, onTimeout }));
  return { ...made, ...(await made.asked()) };
}

describe('the deadline of an approval', () => {
  it('does nothing before its time', async () => {
    const { approvalId, approval } = await waiting('approve');
    clock.advance(timeoutMs - 1);
    expect(await expireApprovals(test.engine)).toBe(0);
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
    clock.advance(1);
    expect(await expireApprovals(test.engine)).toBe(1);
    expect(await expireApprovals(test.engine)).toBe(0);
  });

  it.each([
    ['approve', 'approved'],
    ['reject', 'denied'],
  ])('with onTimeout %s makes it %s by system:timeout', async (onTimeout, status) => {
    const { runId, approvalId, approval, run, dispatcher, decide } = await waiting(onTimeout);
    clock.advance(timeoutMs);
    expect(await expireApprovals(test.engine)).toBe(1);
    const decided = { decidedBy: 'system:timeout', decidedVia: 'timeout', decidedAt: clock.now() };
    expect(await approval(approvalId)).toMatchObject({ status, ...decided, editedArgs: null });
    expect(await decide(approvalId)).toBe('approval is not open');
    await dispatcher.runOnce();
    const memo = { status, args: { amount: 5 }, ...decided, decidedAt: clock.now().toISOString() };
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: memo });
    expect(await findings(test.engine)).toEqual([]);
  });

  it('with onTimeout escalate, the default, leaves it open without a further deadline', async () => {
    const { runId, approvalId, approval, run, decide, dispatcher } = await waiting();
    const { expiresAt } = await approval(approvalId);
    clock.advance(timeoutMs);
    expect(await expireApprovals(test.engine)).toBe(1);
    expect(await approval(approvalId)).toMatchObject({
      status: 'escalated',
      expiresAt,
      decidedAt: null,
      decidedBy: null,
    });
    expect(await run(runId)).toMatchObject({ status: 'needs_attention' });
    clock.advance(10 * timeoutMs);
    expect(await expireApprovals(test.engine)).toBe(0);
    expect(await nextDueInMs(test.engine)).toMatchObject({ approvalInMs: undefined });
    expect(await decide(approvalId, 'denied')).toBe('decided');
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { status: 'denied', decidedBy: 'ada' } });
  });

  it('with onTimeout fail cancels it and fails the step, and so the run', async () => {
    const { runId, approvalId, approval, run, step, dispatcher } = await waiting('fail');
    clock.advance(timeoutMs);
    expect(await expireApprovals(test.engine)).toBe(1);
    expect(await approval(approvalId)).toMatchObject({ status: 'cancelled', decidedAt: null, decidedVia: null });
    await dispatcher.runOnce();
    const error = { name: 'ApprovalTimeoutError', message: 'approval "sign" was not decided in time' };
    expect(await step(runId)).toMatchObject({ status: 'failed', error, willRetry: false });
    expect(await run(runId)).toMatchObject({ status: 'failed', error });
  });

  it('with onTimeout fail is an error that the handler may catch', async () => {
    const { asked, run, dispatcher } = await scene(test.engine, (request) => {
      const sign = memoOf(request, 'sign');
      const { id: _, ...opcode } = ask({ timeoutMs, onTimeout: 'fail' });
      return sign ? complete({ caught: sign }) : steps([opcode]);
    });
    const { runId } = await asked();
    clock.advance(timeoutMs);
    await expireApprovals(test.engine);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({
      status: 'succeeded',
      result: { caught: { error: { name: 'ApprovalTimeoutError' } } },
    });
  });

  it('passes while a pass of another branch is in flight, and is not lost', async () => {
    const { asked, run, dispatcher, projectId } = await scene(test.engine, (request) => {
      const [sign, go] = [memoOf(request, 'sign'), memoOf(request, 'go')];
      const { id: _, ...opcode } = ask({ timeoutMs, onTimeout: 'reject' });
      if (!sign || !go) return steps([opcode, { op: 'WaitForEvent', name: 'go', eventName: 'go' }]);
      return 'pending' in sign || 'pending' in go ? steps([]) : complete(sign);
    });
    const { runId } = await asked();
    await sendEvent(test.engine, { projectId, input: { name: 'go' } });
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    clock.advance(timeoutMs);
    expect(await expireApprovals(test.engine)).toBe(1);
    expect(await settlePass(test.engine, pass, steps([]))).toBe('again');
    await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { data: { status: 'denied' } } });
  });

  it('passes in a paused run, which goes on with it when it is resumed', async () => {
    const { runId, approvalId, approval, run, dispatcher, projectId } = await waiting('reject');
    await pauseRun(test.engine, { projectId, runId, actor: 'test' });
    clock.advance(timeoutMs);
    expect(await expireApprovals(test.engine)).toBe(1);
    expect(await approval(approvalId)).toMatchObject({ status: 'denied', decidedVia: 'timeout' });
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    await resumeRun(test.engine, { projectId, runId, actor: 'test' });
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { status: 'denied' } });
  });

  it('is what a waiting step reads as its time, until it is escalated', async () => {
    const { runId, approvalId, approval } = await waiting();
    const runAfter = async () => (await selectRunSteps(test.db, { runIds: [runId] }))[0]?.runAfter;
    expect(await runAfter()).toEqual((await approval(approvalId)).expiresAt);
    clock.advance(timeoutMs);
    await expireApprovals(test.engine);
    expect(await runAfter()).toBeNull();
  });

  it('comes to a page at a time, and each once however many look', async () => {
    const { dispatcher, start, projectId } = await scene(test.engine, signed({ timeoutMs, onTimeout: 'reject' }));
    await Promise.all(Array.from({ length: 450 }, () => start()));
    await dispatcher.runOnce();
    clock.advance(timeoutMs);
    const looks = await Promise.all([1, 2, 3].map(() => expireApprovals(test.engine)));
    let total = looks.reduce((sum, each) => sum + each, 0);
    for (let more = await expireApprovals(test.engine); more > 0; more = await expireApprovals(test.engine))
      total += more;
    expect(total).toBe(450);
    expect(await test.db.prisma.approval.count({ where: { projectId, status: 'denied' } })).toBe(450);
    await dispatcher.runOnce();
    expect(await test.db.prisma.run.count({ where: { projectId, status: 'succeeded' } })).toBe(450);
    expect(await findings(test.engine)).toEqual([]);
  }, 60_000);
});

describe('the scheduler', () => {
  it('learns of the next deadline by the question that it asks anyway', async () => {
    const { approvalId, approval } = await waiting('approve');
    expect(await nextDueInMs(test.engine)).toMatchObject({ approvalInMs: timeoutMs });
    clock.advance(timeoutMs + 5);
    expect(await nextDueInMs(test.engine)).toMatchObject({ approvalInMs: -5 });
    await new Scheduler(test.engine).expire();
    expect(await approval(approvalId)).toMatchObject({ status: 'approved' });
    expect(await nextDueInMs(test.engine)).toMatchObject({ approvalInMs: undefined });
  });

  it('applies deadlines by itself, as soon as they pass', async () => {
    const live = await createTestEngine();
    const scheduler = new Scheduler(live.engine);
    scheduler.start();
    try {
      const { asked, approval } = await scene(live.engine, signed({ timeoutMs: 20, onTimeout: 'approve' }));
      const changes: string[] = [];
      const changed = new Promise<void>((resolve) => {
        live.engine.bus.on('approval.changed', ({ approvalId }) => {
          changes.push(approvalId);
          if (changes.length === 2) resolve();
        });
      });
      const { approvalId } = await asked();
      await changed;
      expect(changes).toEqual([approvalId, approvalId]);
      expect(await approval(approvalId)).toMatchObject({ status: 'approved', decidedVia: 'timeout' });
    } finally {
      await scheduler.stop();
      await live.close();
    }
  });
});

import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun, pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { newId } from '../../../src/engine/ids.ts';
import { settlePass } from '../../../src/engine/passes/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, steps, thrown } from '../../support/scriptedRunner.ts';
import { ask, findings, scene, signed } from './scene.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

describe('a step that asks for approval', () => {
  it('parks its run as needs_attention, with the approval as the step declares it', async () => {
    const annotations = { risk: 'high', policy: 'refunds', summary: 'sum', context: 'ctx', escalatesTo: 'boss' };
    const { asked, run, approval, step, journal } = await scene(
      test.engine,
      signed({ ...annotations, timeoutMs: 60_000, onTimeout: 'reject' }),
    );
    const { runId, approvalId } = await asked();
    expect(await run(runId)).toMatchObject({ status: 'needs_attention' });
    expect(await step(runId)).toMatchObject({ status: 'waiting', op: 'Approval', endedAt: null });
    expect(await approval(approvalId)).toMatchObject({
      ...annotations,
      step: 'sign',
      tool: 'refund',
      args: { amount: 5 },
      onTimeout: 'reject',
      status: 'pending',
      requestedAt: clock.now(),
      expiresAt: new Date(clock.now().getTime() + 60_000),
      decidedAt: null,
      decidedBy: null,
      decidedVia: null,
    });
    expect(await journal(runId)).toEqual([
      { status: 'queued' },
      { status: 'running' },
      { step: 'sign', index: 0, attempt: 1, status: 'waiting' },
      { status: 'needs_attention', waitingFor: { kind: 'approval', step: 'sign' } },
    ]);
    expect(await findings(test.engine)).toEqual([]);
  });

  it('has defaults for what it leaves out: it escalates, but at no time', async () => {
    const { asked, approval } = await scene(test.engine, signed({ data: undefined }));
    const { approvalId } = await asked();
    expect(await approval(approvalId)).toMatchObject({
      args: null,
      risk: 'unspecified',
      policy: null,
      summary: null,
      context: null,
      escalatesTo: '',
      onTimeout: 'escalate',
      expiresAt: null,
    });
  });

  it.each([
    ['no tool', { tool: undefined }, 'tool is required'],
    ['an unknown onTimeout', { onTimeout: 'explode' }, 'onTimeout must be one of escalate, approve, reject, fail'],
    ['a time-out that is none', { timeoutMs: -1 }, /^timeoutMs must be a number/],
    ['a risk that is no string', { risk: 7 }, 'risk must be a string'],
  ])('fails with %s', async (_what, more, message) => {
    const { dispatcher, start, run } = await scene(test.engine, signed(more));
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({
      status: 'failed',
      error: { message: typeof message === 'string' ? message : expect.stringMatching(message) },
    });
  });

  it('that is discovered again asks once', async () => {
    const { asked, dispatcher, run } = await scene(test.engine, (request) => {
      const sign = memoOf(request, 'sign');
      const nap = memoOf(request, 'nap');
      if (nap && sign && !('pending' in sign)) return complete('both');
      const { id: _, ...opcode } = ask();
      return steps([opcode, { op: 'Sleep', name: 'nap', sleepMs: 1_000 }]);
    });
    const { runId } = await asked();
    clock.advance(1_000);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'needs_attention' });
    expect(await test.db.prisma.approval.count({ where: { runId } })).toBe(1);
  });
});

describe('a decision', () => {
  it('lets the run go on; the handler receives it with the proposed arguments', async () => {
    const { asked, decide, dispatcher, run, approval, step, journal } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    clock.advance(1_234);
    expect(await decide(approvalId)).toBe('decided');
    const decided = { decidedBy: 'ada', decidedVia: 'console', decidedAt: clock.now() };
    expect(await approval(approvalId)).toMatchObject({ status: 'approved', ...decided, editedArgs: null });
    expect(await run(runId)).toMatchObject({ status: 'queued' });
    await dispatcher.runOnce();
    const memo = { status: 'approved', args: { amount: 5 }, ...decided, decidedAt: clock.now().toISOString() };
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: memo });
    expect(await step(runId)).toMatchObject({ status: 'succeeded', output: memo, endedAt: clock.now() });
    expect((await journal(runId)).slice(4)).toEqual([
      { step: 'sign', index: 0, attempt: 1, status: 'succeeded', durationMs: 1_234 },
      { status: 'queued' },
      { status: 'running' },
      { status: 'succeeded' },
    ]);
    expect(await findings(test.engine)).toEqual([]);
  });

  it('may edit the arguments: the handler acts on those, and payloads keep their text', async () => {
    const exact = '{"amount":12345678901234567890, "x":1e400,"__proto__":{"a":1}}';
    const { asked, decide, projectId } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    expect(await decide(approvalId, 'approved', { args: exact })).toBe('decided');
    const { rows } = await test.db.query(
      `select s.output, a.edited_args, a.args from run_step s join approval a on a.run_id = s.run_id
       where s.run_id = $1 and a.project_id = $2`,
      [runId, projectId],
    );
    expect(rows[0].edited_args).toBe(exact);
    expect(rows[0].args).toBe('{"amount":5}');
    expect(rows[0].output).toContain(`"args":${exact},"editedArgs":${exact},`);
  });

  it('that denies is no error; it has no use for edited arguments', async () => {
    const { asked, decide, dispatcher, run, approval } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    expect(await decide(approvalId, 'denied', { args: '{"amount":1}' })).toBe('decided');
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({
      status: 'succeeded',
      result: { status: 'denied', args: { amount: 5 }, decidedBy: 'ada' },
    });
    expect(await approval(approvalId)).toMatchObject({ status: 'denied', editedArgs: null });
  });

  it('is final: another is refused, and changes nothing', async () => {
    const { asked, decide, approval } = await scene(test.engine, signed());
    const { approvalId } = await asked();
    expect(await decide(approvalId, 'denied')).toBe('decided');
    const before = await approval(approvalId);
    expect(await decide(approvalId, 'approved')).toBe('approval is not open');
    expect(await approval(approvalId)).toEqual(before);
  });

  it('on an approval that does not exist, is of another project or has no id at all finds nothing', async () => {
    const { asked, decide, approval } = await scene(test.engine, signed());
    const { approvalId } = await asked();
    const other = await scene(test.engine, signed());
    expect(await other.decide(approvalId)).toBe('approval not found');
    expect(await decide(newId())).toBe('approval not found');
    expect(await decide('no id')).toBe('approval not found');
    expect(await approval(approvalId)).toMatchObject({ status: 'pending' });
  });

  it('is recorded in the audit log with the key, one that was refused is not', async () => {
    const { asked, decide, projectId } = await scene(test.engine, signed());
    const [one, two] = [await asked(), await asked()];
    await decide(one.approvalId, 'approved');
    await decide(two.approvalId, 'denied');
    await decide(two.approvalId, 'approved');
    const actions = await test.db.prisma.controlAction.findMany({ where: { projectId }, orderBy: { id: 'asc' } });
    expect(actions).toMatchObject([
      { action: 'approve', runId: one.runId, actor: 'a key', detail: { approvalId: one.approvalId, step: 'sign' } },
      { action: 'deny', runId: two.runId, actor: 'a key', detail: { approvalId: two.approvalId, step: 'sign' } },
    ]);
  });

  it('while a pass of another branch is in flight is not lost: the run is invoked again', async () => {
    const { asked, decide, dispatcher, run, projectId } = await scene(test.engine, (request) => {
      const [sign, go] = [memoOf(request, 'sign'), memoOf(request, 'go')];
      const { id: _, ...opcode } = ask();
      if (!sign || !go) return steps([opcode, { op: 'WaitForEvent', name: 'go', eventName: 'go' }]);
      return 'pending' in sign || 'pending' in go ? steps([]) : complete(sign);
    });
    const { runId, approvalId } = await asked();
    await sendEvent(test.engine, { projectId, input: { name: 'go' } });
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    expect(await decide(approvalId)).toBe('decided');
    expect(await run(runId)).toMatchObject({ status: 'running' });
    expect(await settlePass(test.engine, pass, steps([]))).toBe('again');
    await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { data: { status: 'approved' } } });
  });

  it('on a paused run is recorded; the run goes on with it when it is resumed, and not before', async () => {
    const { asked, decide, dispatcher, approval, step, run, projectId } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    await pauseRun(test.engine, { projectId, runId, actor: 'test' });
    expect(await decide(approvalId)).toBe('decided');
    expect(await approval(approvalId)).toMatchObject({ status: 'approved' });
    expect(await step(runId)).toMatchObject({ status: 'succeeded' });
    expect(await run(runId)).toMatchObject({ status: 'paused' });
    expect(await dispatcher.runOnce()).toBe(0);
    expect(await findings(test.engine)).toEqual([]);
    await resumeRun(test.engine, { projectId, runId, actor: 'test' });
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { status: 'approved' } });
  });

  it('may be made after a run was paused and resumed undecided: it needs attention again meanwhile', async () => {
    const { asked, decide, dispatcher, run, projectId } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    await pauseRun(test.engine, { projectId, runId, actor: 'test' });
    await resumeRun(test.engine, { projectId, runId, actor: 'test' });
    expect(await run(runId)).toMatchObject({ status: 'needs_attention' });
    expect(await decide(approvalId)).toBe('decided');
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('of one of two leaves the run in need of attention for the other', async () => {
    const both = ['one', 'two'];
    const { start, dispatcher, decide, run } = await scene(test.engine, (request) => {
      const memos = both.map((name) => memoOf(request, name));
      if (memos.some((memo) => memo === undefined))
        return steps(both.map((name) => ({ op: 'Approval' as const, name, tool: 'x' })));
      return memos.some((memo) => memo && 'pending' in memo) ? steps([]) : complete(memos);
    });
    const runId = await start();
    await dispatcher.runOnce();
    const [one, two] = await test.db.prisma.approval.findMany({ where: { runId }, orderBy: { stepIndex: 'asc' } });
    await decide(one?.id ?? '', 'denied');
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'needs_attention' });
    await decide(two?.id ?? '');
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({
      status: 'succeeded',
      result: [{ data: { status: 'denied' } }, { data: { status: 'approved' } }],
    });
  });
});

describe('an open approval', () => {
  it('is cancelled with its run, without a decision, and cannot be decided any more', async () => {
    const { asked, decide, projectId, approval, step } = await scene(test.engine, signed());
    const { runId, approvalId } = await asked();
    const told: string[] = [];
    const stop = test.engine.bus.on('approval.changed', (changed) => told.push(changed.approvalId));
    await cancelRun(test.engine, { projectId, runId, actor: 'test' });
    stop();
    expect(told).toEqual([approvalId]);
    expect(await approval(approvalId)).toMatchObject({ status: 'cancelled', decidedAt: null, decidedBy: null });
    expect(await step(runId)).toMatchObject({ status: 'cancelled' });
    expect(await decide(approvalId)).toBe('approval is not open');
    expect(await findings(test.engine)).toEqual([]);
  });

  it('is cancelled when another branch fails the run', async () => {
    const { asked, dispatcher, approval, run, decide } = await scene(test.engine, (request) => {
      const { id: _, ...opcode } = ask();
      if (!memoOf(request, 'sign')) return steps([opcode, { op: 'Sleep', name: 'nap', sleepMs: 1_000 }]);
      return thrown({ message: 'no patience' });
    });
    const { runId, approvalId } = await asked();
    const told: string[] = [];
    const stop = test.engine.bus.on('approval.changed', (changed) => told.push(changed.approvalId));
    clock.advance(1_000);
    await dispatcher.runOnce();
    stop();
    expect(await run(runId)).toMatchObject({ status: 'failed' });
    expect(await approval(approvalId)).toMatchObject({ status: 'cancelled', decidedVia: null });
    expect(told).toEqual([approvalId]);
    expect(await decide(approvalId)).toBe('approval is not open');
  });

  it('is cancelled when the run finishes without waiting for it; a decided one stays', async () => {
    const { asked, decide, dispatcher, approval } = await scene(test.engine, (request) => {
      const sign = memoOf(request, 'sign');
      const { id: _, ...opcode } = ask();
      if (!sign) return steps([opcode, { op: 'Sleep', name: 'nap', sleepMs: 1_000 }]);
      return 'pending' in (memoOf(request, 'nap') ?? {}) ? steps([]) : complete('anyway');
    });
    const [left, decided] = [await asked(), await asked()];
    await decide(decided.approvalId);
    clock.advance(1_000);
    await dispatcher.runOnce();
    expect(await approval(left.approvalId)).toMatchObject({ status: 'cancelled' });
    expect(await approval(decided.approvalId)).toMatchObject({ status: 'approved' });
  });
});

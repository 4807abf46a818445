import { describe, expect, it } from 'vitest';
import { decideApproval, expireApprovals } from '../../../src/engine/approvals/index.ts';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun, pauseRun, resumeRun } from '../../../src/engine/control/index.ts';
import { readWaiting } from '../../../src/engine/diagnosis/index.ts';
import { registerDispatcher, retireDispatcher, tickDispatcher } from '../../../src/engine/dispatchers/index.ts';
import { checkBudgets } from '../../../src/engine/flow/policies/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { failOverdueRuns } from '../../../src/engine/routing/index.ts';
import { readWaits } from '../../../src/engine/runs/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, type Script, ScriptedDispatcher, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';
import { call } from '../ai/scene.ts';
import { answered, asking, InferenceScene, succeeded } from '../inference/scene.ts';
import { hour, openWaitScene } from './scene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });
const inMs = (ms: number) => new Date(clock.now().getTime() + ms);
const open = (script?: Script, workflow?: Parameters<typeof openWaitScene>[3]) =>
  openWaitScene(test, clock, script, workflow);

/** A script that parks at a step until it has settled. */
const until =
  (opcode: Parameters<typeof steps>[0][number]): Script =>
  (request) => {
    const memo = memoOf(request, String(opcode['name']));
    return memo === undefined || 'pending' in memo ? steps(memo ? [] : [opcode]) : complete('done');
  };

describe('a run waits for', () => {
  it('a slot of its concurrency scope, until the run that holds it ends', async () => {
    const scene = await open(undefined, { name: 'flow', concurrency: { limit: 1, key: 'user' } });
    const [first] = [await scene.start({ user: 'ann' })];
    const [holder] = await scene.dispatcher.claim();
    const [second, third] = [await scene.start({ user: 'ann' }), await scene.start({ user: 'ann' })];
    await scene.dispatcher.claim();
    const cause = { kind: 'concurrency', key: 'ann', limit: 1, inUse: 1, holders: [first], since: clock.now() };
    expect(await scene.causes(second)).toEqual([{ ...cause, ahead: { count: 0, isMore: false } }]);
    expect(await scene.causes(third)).toEqual([{ ...cause, ahead: { count: 1, isMore: false } }]);
    expect(await scene.causes(first)).toEqual([]);

    if (holder) await scene.dispatcher.drive(holder);
    await scene.settle();
    expect([await scene.status(second), await scene.status(third)]).toEqual(['succeeded', 'succeeded']);
  });

  it('the ceiling of its project, until that is raised', async () => {
    const scene = await open();
    const { projectId } = scene;
    await updateProject(test.engine, { id: projectId, concurrencyCeiling: 1 });
    const first = await scene.start();
    const [holder] = await scene.dispatcher.claim();
    const second = await scene.start();
    await scene.dispatcher.claim();
    expect(await scene.causes(second)).toEqual([
      {
        kind: 'ceiling',
        limit: 1,
        inUse: 1,
        holders: [first],
        ahead: { count: 0, isMore: false },
        since: clock.now(),
      },
    ]);
    await updateProject(test.engine, { id: projectId, concurrencyCeiling: 2 });
    await scene.settle();
    expect(await scene.status(second)).toBe('succeeded');
    if (holder) await scene.dispatcher.drive(holder);
  });

  it('a slot and the ceiling, both of which it needs', async () => {
    const scene = await open(undefined, { name: 'flow', concurrency: { limit: 1 } });
    await updateProject(test.engine, { id: scene.projectId, concurrencyCeiling: 1 });
    await scene.start();
    const [holder] = await scene.dispatcher.claim();
    const second = await scene.start();
    await scene.dispatcher.claim();
    expect(await scene.causes(second)).toMatchObject([{ kind: 'concurrency' }, { kind: 'ceiling' }]);
    if (holder) await scene.dispatcher.drive(holder);
  });

  it('its turn by the throttle, until that time', async () => {
    const scene = await open(undefined, { name: 'flow', throttle: { limit: 1, perMs: hour } });
    await scene.start();
    const second = await scene.start();
    const cause = { kind: 'start', policy: 'throttle', key: undefined, since: clock.now(), until: inMs(hour) };
    expect(await scene.causes(second)).toEqual([cause]);
    await scene.settle();
    await scene.pass(hour);
    await scene.settle();
    expect(await scene.status(second)).toBe('succeeded');
  });

  it('tokens of its bucket, until that is refilled', async () => {
    const script: Script = (request) => (memoOf(request, 'ask') ? complete(1) : steps([call('ask', { tokensIn: 10 })]));
    const bucket = { name: 'flow', tokenThrottle: { tokens: 10, perMs: hour, key: 'user' } };
    const scene = await open(script, bucket);
    await scene.start({ user: 'ann' });
    await scene.settle();
    const second = await scene.start({ user: 'ann' });
    const [cause] = await scene.causes(second);
    expect(cause).toMatchObject({ kind: 'start', policy: 'tokenThrottle', key: 'ann' });
    expect(cause?.until?.getTime()).toBeLessThanOrEqual(inMs(hour / 10).getTime());
    await scene.pass((cause?.until?.getTime() ?? 0) - clock.now().getTime());
    await scene.settle();
    expect(await scene.status(second)).toBe('succeeded');
  });

  describe('a runner', () => {
    const lacking = { kind: 'runner', app: 'default', workflow: 'flow', runner: undefined, since: expect.any(Date) };
    const none = { ahead: { count: 0, isMore: false }, inUse: 0 };

    it('that nobody has registered any more, until one registers or the run fails', async () => {
      const scene = await open();
      const runId = await scene.start();
      await test.engine.db.query('delete from runner where project_id = $1', [scene.projectId]);
      await scene.dispatcher.lookAfterStranded();
      const fails = inMs(test.engine.settings.noRunnerWaitMs);
      expect(await scene.causes(runId)).toEqual([
        { ...lacking, ...none, lack: 'none', registered: 0, live: 0, limit: 0, until: fails },
      ]);
      await registerWorkflows(test.engine, scene.projectId, [{ name: 'flow' }]);
      await scene.dispatcher.lookAfterStranded();
      await scene.settle();
      expect(await scene.status(runId)).toBe('succeeded');
    });

    it('that is not live, and fails at the deadline', async () => {
      const scene = await open();
      const runId = await scene.start();
      await test.engine.db.query('update runner set connected = false where project_id = $1', [scene.projectId]);
      await scene.dispatcher.lookAfterStranded();
      const [cause] = await scene.causes(runId);
      expect(cause).toEqual({
        ...{ ...lacking, ...none, lack: 'gone', registered: 1, live: 0, limit: 0 },
        until: inMs(test.engine.settings.noRunnerWaitMs),
      });
      clock.advance((cause?.until?.getTime() ?? 0) - clock.now().getTime());
      await failOverdueRuns(test.engine);
      expect(await scene.status(runId)).toBe('failed');
      expect(await scene.causes(runId)).toEqual([]);
    });

    it('to which it is pinned', async () => {
      const scene = await open();
      const runId = await scene.start();
      await test.engine.db.query(`update run set runner = 'box' where id = $1`, [runId]);
      await test.engine.db.query(
        `with lane as (insert into lane (project_id, app, workflow, runner) values ($2, 'default', 'flow', 'box') returning id)
         update run_work set lane_id = (select id from lane) where run_id = $1`,
        [runId, scene.projectId],
      );
      await scene.dispatcher.lookAfterStranded();
      expect(await scene.causes(runId)).toMatchObject([{ kind: 'runner', lack: 'none', runner: 'box' }]);
      await registerWorkflows(test.engine, scene.projectId, [{ name: 'flow' }], { runner: 'box' });
      await scene.dispatcher.lookAfterStranded();
      await scene.settle();
      expect(await scene.status(runId)).toBe('succeeded');
    });

    it('with room, while all live ones are full', async () => {
      const scene = await open();
      await test.engine.db.query('update runner set max_in_flight = 1 where project_id = $1', [scene.projectId]);
      await scene.start();
      const [holder] = await scene.dispatcher.claim(1);
      const [second, third] = [await scene.start(), await scene.start()];
      const full = { ...lacking, lack: 'full', registered: 1, live: 1, limit: 1, inUse: 1 };
      expect(await scene.causes(second)).toEqual([{ ...full, ahead: { count: 0, isMore: false } }]);
      expect(await scene.causes(third)).toEqual([{ ...full, ahead: { count: 1, isMore: false } }]);
      if (holder) await scene.dispatcher.drive(holder);
      await scene.settle();
      expect(await scene.status(third)).toBe('succeeded');
    });

    it('that has room, so that a dispatcher takes the run next', async () => {
      const scene = await open();
      const runId = await scene.start();
      expect(await scene.causes(runId)).toEqual([
        { ...lacking, ...none, lack: 'free', registered: 1, live: 1, limit: 100 },
      ]);
      await scene.settle();
      expect(await scene.status(runId)).toBe('succeeded');
    });
  });

  it('a dispatcher, while none is alive', async () => {
    const scene = await open();
    const runId = await scene.start();
    await retireDispatcher(test.engine, scene.dispatcher.id);
    expect(await scene.causes(runId)).toMatchObject([{ kind: 'dispatcher', alive: 0 }]);
    await scene.dispatcher.start();
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('another dispatcher, after its own has gone silent', async () => {
    const scene = await open();
    const runId = await scene.start();
    await scene.dispatcher.claim();
    const lastBeat = clock.now();
    expect(await scene.causes(runId)).toEqual([]);
    clock.advance(10_000);
    expect(await scene.causes(runId)).toEqual([{ kind: 'dispatcher', alive: 0, since: lastBeat }]);
    const other = await registerDispatcher(test.engine);
    clock.advance(3_000);
    await tickDispatcher(test.engine, other);
    expect(await scene.causes(runId)).toMatchObject([{ kind: 'dispatcher', alive: 1 }]);
    clock.advance(3_000);
    await tickDispatcher(test.engine, other);
    await new ScriptedDispatcher(test.engine, () => complete(1)).start();
    expect(await scene.causes(runId)).toMatchObject([{ kind: 'runner', lack: 'free' }]);
  });

  it('an answer of its runner, which did not come', async () => {
    let isUp = false;
    const scene = await open(() =>
      isUp ? complete(1) : { kind: 'transport', reason: 'no answer from https://inner.example/x', socketLost: false },
    );
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const [cause] = await scene.causes(runId);
    expect(cause).toMatchObject({
      kind: 'transport',
      failures: 1,
      maxFailures: 10,
      error: { message: 'no answer from (address)' },
    });
    isUp = true;
    await scene.pass((cause?.until?.getTime() ?? 0) - clock.now().getTime());
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  const twice = { name: 'flow', retry: { maxAttempts: 2, backoff: 'fixed' as const, initialDelayMs: 60_000 } };

  it('the retry of a step', async () => {
    const error = { name: 'TypeError', message: 'no', stack: 'at x' };
    let isUp = false;
    const scene = await open(() => (isUp ? complete(1) : steps([{ op: 'StepRun', name: 'charge', error }])), twice);
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const [cause] = await scene.causes(runId);
    expect(cause).toEqual({
      kind: 'retry',
      step: { name: 'charge', index: 0, attempt: 1 },
      nextAttempt: 2,
      maxAttempts: 2,
      error: { name: 'TypeError', message: 'no' },
      since: expect.any(Date),
      until: expect.any(Date),
    });
    isUp = true;
    await scene.pass((cause?.until?.getTime() ?? 0) - clock.now().getTime());
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('the retry of its handler', async () => {
    let isUp = false;
    const scene = await open(() => (isUp ? complete(1) : thrown({ name: 'RangeError', message: 'no' })), twice);
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const [cause] = await scene.causes(runId);
    const error = { name: 'RangeError', message: 'no' };
    expect(cause).toMatchObject({ kind: 'retry', nextAttempt: 2, maxAttempts: 2, error });
    expect(cause).not.toHaveProperty('step');
    isUp = true;
    await scene.pass((cause?.until?.getTime() ?? 0) - clock.now().getTime());
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('the end of a sleep', async () => {
    const scene = await open(until({ op: 'Sleep', name: 'nap', sleepMs: hour }));
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const step = { name: 'nap', index: 0, attempt: 1 };
    expect(await scene.causes(runId)).toEqual([{ kind: 'sleep', step, since: clock.now(), until: inMs(hour) }]);
    await scene.pass(hour);
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('an event, and tells which its guard has refused', async () => {
    const guard = 'data.amount > 10';
    const scene = await open(
      until({ op: 'WaitForEvent', name: 'pay', eventName: 'paid', eventIf: guard, timeoutMs: hour }),
    );
    await scene.send('paid', RawJson.of({ amount: 1 }));
    clock.advance(2_000);
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const cause = { kind: 'event', step: { name: 'pay', index: 0, attempt: 1 }, eventName: 'paid', guard };
    const times = { since: clock.now(), until: inMs(hour) };
    expect(await scene.causes(runId)).toEqual([{ ...cause, ...times, refused: [] }]);
    const ids: string[] = [];
    for (const amount of [2, 3, 4, 5]) {
      clock.advance(1_000);
      ids.unshift((await scene.send('paid', RawJson.of({ amount }))).eventId);
      await scene.send('other', RawJson.of({ amount: 20 }));
    }
    const [waiting] = await scene.causes(runId);
    const refused = ids.slice(0, 3).map((id) => ({ id, receivedAt: expect.any(Date) }));
    expect(waiting).toEqual({ ...cause, ...times, refused });
    await scene.send('paid', RawJson.of({ amount: 11 }));
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('an event without a guard, which refuses none', async () => {
    const scene = await open(until({ op: 'WaitForEvent', name: 'pay', eventName: 'paid' }));
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    expect(await scene.causes(runId)).toMatchObject([
      { kind: 'event', guard: undefined, until: undefined, refused: [] },
    ]);
    await scene.send('paid', RawJson.of(1));
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('its child, and tells for what that waits in the end', async () => {
    const scene = await open((request) => {
      const level = JSON.stringify(request.event.data) === '{}' ? 0 : Number(request.event.data);
      const op =
        level === 2
          ? { op: 'Approval' as const, name: 'sign', tool: 'refund', data: {} }
          : { op: 'RunWorkflow' as const, name: 'call', childName: 'flow', childData: level + 1 };
      return until(op)(request);
    });
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const children = await test.db.prisma.run.findMany({
      where: { parentRunId: { not: null }, projectId: scene.projectId },
      orderBy: { depth: 'asc' },
    });
    const [child, grandchild] = children.map(({ id }) => id);
    const because = { kind: 'approval', tool: 'refund', step: { name: 'sign', index: 0, attempt: 1 } };
    const [cause] = await scene.causes(runId);
    expect(cause).toMatchObject({
      kind: 'child',
      step: { name: 'call', index: 0, attempt: 1 },
      childRunId: child,
      childStatus: 'waiting',
      path: [child, grandchild],
      because,
    });
    expect(await scene.causes(child ?? '')).toMatchObject([
      { kind: 'child', childRunId: grandchild, path: [grandchild], because },
    ]);
    const approvalId = cause?.kind === 'child' && cause.because?.kind === 'approval' ? cause.because.approvalId : '';
    await decide(scene.projectId, approvalId);
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  const decide = (projectId: string, approvalId: string) =>
    decideApproval(test.engine, {
      projectId,
      approvalId,
      ...{ status: 'approved', args: undefined, decider: { decidedBy: 'me', decidedVia: 'api' }, actor: 'me' },
    });

  it('a decision, before all timers, and without a deadline once it has escalated', async () => {
    const scene = await open((request) =>
      memoOf(request, 'sign') === undefined
        ? steps([
            { op: 'Sleep', name: 'nap', sleepMs: 1_000 },
            { op: 'Approval', name: 'sign', tool: 'refund', risk: 'high', data: {}, timeoutMs: hour },
          ])
        : complete('done'),
    );
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const cause = {
      kind: 'approval',
      step: { name: 'sign', index: 1, attempt: 1 },
      tool: 'refund',
      risk: 'high',
      onTimeout: 'escalate',
    };
    const [first, second] = await scene.causes(runId);
    expect(first).toMatchObject({ ...cause, isEscalated: false, until: inMs(hour) });
    expect(second).toMatchObject({ kind: 'sleep' });
    await test.engine.db.query(`update run_step set run_after = null where run_id = $1 and op = 'Sleep'`, [runId]);
    await test.engine.db.query(`update run_work set due_at = null where run_id = $1`, [runId]);
    clock.advance(hour);
    await expireApprovals(test.engine);
    const [escalated] = await scene.causes(runId);
    expect(escalated).toMatchObject({ ...cause, isEscalated: true, until: undefined });
    await scene.pass(0);
    await decide(scene.projectId, escalated?.kind === 'approval' ? escalated.approvalId : '');
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('a model, with the figures of its lane', async () => {
    const scene = await open(asking(['ask']));
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const lane = {
      provider: 'anthropic',
      model: 'opus',
      keyFrom: 'settings',
      inFlight: 0,
      limit: 100,
      waiting: 1,
      heldUntil: null,
      heldFor: null,
    };
    expect(await scene.causes(runId)).toEqual([
      {
        kind: 'inference',
        step: { name: 'ask', index: 0, attempt: 1 },
        since: clock.now(),
        until: inMs(test.engine.settings.inference.deadlineMs),
        lane,
        isInFlight: false,
        isCapped: false,
        nextSendAt: clock.now(),
      },
    ]);
    const calls = new InferenceScene(test.engine, scene.projectId, scene.dispatcher);
    const claimed = await calls.claimOne();
    const [cause] = await scene.causes(runId);
    expect(cause).toMatchObject({ isInFlight: true, lane: { inFlight: 1, waiting: 0 } });
    await calls.execute(claimed, answered(), succeeded());
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('a person who paused it, and then for what it waited before', async () => {
    const scene = await open(until({ op: 'WaitForEvent', name: 'pay', eventName: 'paid' }));
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    clock.advance(1_000);
    await pauseRun(test.engine, { projectId: scene.projectId, runId, actor: 'ann' });
    const paused = {
      kind: 'paused',
      reason: 'manual',
      actor: 'ann',
      budget: undefined,
      since: clock.now(),
      until: undefined,
    };
    expect(await scene.causes(runId)).toEqual([paused, expect.objectContaining({ kind: 'event' })]);
    await scene.send('paid', RawJson.of(1));
    expect(await scene.causes(runId)).toEqual([paused, expect.objectContaining({ kind: 'runner', lack: 'free' })]);
    await resumeRun(test.engine, { projectId: scene.projectId, runId, actor: 'ann' });
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });

  it('its budget, until enough of the spend has left the window', async () => {
    const script: Script = (request) => (memoOf(request, 'ask') ? complete(1) : steps([call('ask', { tokensIn: 10 })]));
    const scene = await open(script, { name: 'flow', budget: { maxTokens: 20, windowMs: hour } });
    const spendAt = async () => {
      await scene.start();
      await scene.settle();
    };
    await spendAt();
    await scene.pass(60_000);
    await spendAt();
    await scene.pass(60_000);
    await checkBudgets(test.engine);
    const runId = await scene.start();
    const [paused, next] = await scene.causes(runId);
    expect(paused).toEqual({
      kind: 'paused',
      reason: 'budget',
      actor: undefined,
      budget: { windowMs: hour, maxCost: undefined, maxTokens: 20 },
      since: clock.now(),
      until: inMs(hour - 120_000),
    });
    expect(next).toMatchObject({ kind: 'runner', lack: 'free' });
    await scene.pass(hour - 120_001);
    await checkBudgets(test.engine);
    expect(await scene.status(runId)).toBe('paused');
    await scene.pass(1);
    await checkBudgets(test.engine);
    await scene.settle();
    expect(await scene.status(runId)).toBe('succeeded');
  });
});

describe('the causes', () => {
  it('begin with the one that `waitingFor` tells', async () => {
    const opcodes = [
      { op: 'Sleep' as const, name: 'long', sleepMs: 2 * hour },
      { op: 'WaitForEvent' as const, name: 'paid', eventName: 'paid' },
      { op: 'RunWorkflow' as const, name: 'call', childName: 'flow', childData: 1 },
      { op: 'Sleep' as const, name: 'short', sleepMs: hour },
    ];
    const scene = await open(({ event }) =>
      event.data === 1 ? steps([{ op: 'Sleep', name: 'nap', sleepMs: hour }]) : steps(opcodes),
    );
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const causes = await scene.causes(runId);
    expect(causes.map((each) => ('step' in each ? each.step?.name : each.kind))).toEqual([
      'short',
      'long',
      'paid',
      'call',
    ]);
    const wait = (await readWaits(test.engine.db, [runId])).get(runId);
    expect(wait).toMatchObject({ kind: causes[0]?.kind, until: causes[0]?.until });
  });

  it('are none of a run of another project, nor of one that has ended', async () => {
    const scene = await open(until({ op: 'Sleep', name: 'nap', sleepMs: hour }));
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const other = await open();
    const found = await readWaiting(test.engine, { projectId: other.projectId, runIds: [runId] });
    expect(found.get(runId)).toEqual([]);
    await cancelRun(test.engine, { projectId: scene.projectId, runId, actor: 'me' });
    expect(await scene.causes(runId)).toEqual([]);
  });

  it('name 20 steps at most, the first to end before the others', async () => {
    const naps = Array.from({ length: 30 }, (_, n) => ({ op: 'Sleep' as const, name: `nap ${n}`, sleepMs: hour - n }));
    const scene = await open(() => steps(naps));
    const runId = await scene.start();
    await scene.dispatcher.runOnce();
    const causes = await scene.causes(runId);
    expect(causes).toHaveLength(20);
    expect(causes[0]).toMatchObject({ step: { name: 'nap 29' } });
  });
});

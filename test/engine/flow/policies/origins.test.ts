import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../src/engine/clock.ts';
import { checkBudgets } from '../../../../src/engine/flow/policies/index.ts';
import { fireDueSchedules } from '../../../../src/engine/schedules/index.ts';
import { useEngine } from '../../../support/engine.ts';
import { complete, memoOf, type Script, steps } from '../../../support/scriptedRunner.ts';
import { call } from '../../ai/scene.ts';
import { openFlowScene } from '../flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

/**
 * A parent that calls `child` once and ends with the outcome. A child that was triggered directly
 * sleeps.
 */
const calling: Script = (request) => {
  if (request.ctx.triggerKind === 'manual' && request.ctx.workflow === 'child') {
    return steps([{ op: 'Sleep', name: 'nap', sleepMs: 600_000 }]);
  }
  if (request.ctx.workflow === 'child') return complete('child done');
  const memo = memoOf(request, 'call');
  if (!memo || 'pending' in memo) return steps([{ op: 'RunWorkflow', name: 'call', childName: 'child' }]);
  return complete('error' in memo ? memo.error : 'data' in memo ? memo.data : undefined);
};

const child = (policy: object) => [{ name: 'parent' }, { name: 'child', triggers: [{ event: 'never' }], ...policy }];

describe('a child run', () => {
  it.each([
    ['its rate limit is reached', { rateLimit: { limit: 1, perMs: 60_000 } }],
    ['another run of its singleton is under way', { singleton: { mode: 'skip' } }],
    ['its idempotency key was seen before', { idempotency: {} }],
  ])('fails its calling step if it is withheld because %s', async (reason, policy) => {
    const project = await openFlowScene(test, child(policy), calling);
    await project.trigger('child');
    const parent = await project.trigger('parent');
    await project.settle();
    expect(await project.run(parent.runId)).toMatchObject({
      status: 'succeeded',
      result: { name: 'FlowControlError', message: `the child run was not started: ${reason}` },
    });
    expect(await project.runs({ workflow: 'child' })).toHaveLength(1);
    await project.expectHealthy();
  });

  it.each([
    ['debounce', { debounce: { periodMs: 60_000 } }],
    ['batch', { batch: { maxSize: 10, timeoutMs: 60_000 } }],
  ])('is not buffered by %s, because its parent waits for its result', async (_, policy) => {
    const project = await openFlowScene(test, child(policy), calling);
    const parent = await project.trigger('parent');
    await project.settle();
    expect(await project.run(parent.runId)).toMatchObject({ status: 'succeeded', result: 'child done' });
  });

  it('waits for its turn if its workflow is throttled, and its parent waits too', async () => {
    const project = await openFlowScene(test, child({ throttle: { limit: 1, perMs: 5_000 } }), calling);
    await project.trigger('child');
    const parent = await project.trigger('parent');
    await project.settle();
    expect(await project.run(parent.runId)).toMatchObject({ status: 'waiting' });
    clock.advance(5_000);
    await project.settle();
    expect(await project.run(parent.runId)).toMatchObject({ status: 'succeeded' });
    await project.expectHealthy();
  });
});

describe('an emitted event', () => {
  it('passes the same gates, and its memo names only runs that exist', async () => {
    const project = await openFlowScene(
      test,
      [{ name: 'emitter' }, { name: 'target', triggers: [{ event: 'ping' }], rateLimit: { limit: 1, perMs: 60_000 } }],
      (request) =>
        request.ctx.workflow === 'target' || memoOf(request, 'emit')
          ? complete(memoOf(request, 'emit') ?? null)
          : steps([{ op: 'Emit', name: 'emit', eventName: 'ping', data: {} }]),
    );
    const first = await project.trigger('emitter');
    await project.settle();
    const second = await project.trigger('emitter');
    await project.settle();
    expect(await project.run(first.runId)).toMatchObject({ result: { data: { runIds: [expect.any(String)] } } });
    expect(await project.run(second.runId)).toMatchObject({ result: { data: { runIds: [] } } });
    const { eventId } = ((await project.run(second.runId)).result as { data: { eventId: string } }).data;
    expect((await project.record(eventId)).triggered).toEqual([{ app: 'default', workflow: 'target', dropped: true }]);
    await project.expectHealthy();
  });
});

describe('a cron fire', () => {
  it('passes the same gates: while a singleton has a holder it starts no run, and the schedule moves on', async () => {
    const project = await openFlowScene(
      test,
      [{ name: 'tick', triggers: [{ cron: '* * * * *' }], singleton: { mode: 'skip' } }],
      () => steps([{ op: 'Sleep', name: 'nap', sleepMs: 90_000 }]),
    );
    clock.advance(60_000);
    await fireDueSchedules(test.engine);
    await project.settle();
    clock.advance(60_000);
    await fireDueSchedules(test.engine);
    expect(await project.runs()).toHaveLength(1);
    const [schedule] = await test.db.prisma.cronSchedule.findMany({
      where: { workflow: { projectId: project.projectId } },
    });
    expect(schedule?.nextFireAt.getTime()).toBeGreaterThan(clock.now().getTime());
    await project.expectHealthy();
  });
});

describe('a follow-on run', () => {
  it('handles the failure at once, whatever the policies of its workflow', async () => {
    const project = await openFlowScene(
      test,
      [
        {
          name: 'frail',
          onFailure: true,
          rateLimit: { limit: 1, perMs: 60_000 },
          singleton: { mode: 'skip' },
          idempotency: {},
        },
      ],
      (request) =>
        request.ctx.onFailure
          ? complete('handled')
          : { kind: 'answer', status: 500, body: '{"error":{"message":"no"},"logs":[]}', elapsedMs: 1 },
    );
    const { runId } = await project.send('frail');
    await project.settle();
    const [failed, followOn] = await project.runs();
    expect(failed).toMatchObject({ id: runId, status: 'failed' });
    expect(followOn).toMatchObject({ onFailureOf: runId, status: 'succeeded' });
    await project.expectHealthy();
  });

  it('begins paused if the budget is spent, and handles the failure after it is resumed', async () => {
    const windowMs = 60_000;
    const budget = { maxTokens: 100, windowMs };
    const project = await openFlowScene(test, [{ name: 'dear', onFailure: true, budget }], (request) => {
      if (request.ctx.onFailure) return complete('handled');
      if (!memoOf(request, 'ask')) return steps([call('ask', { tokensIn: 100 })]);
      return { kind: 'answer', status: 500, body: '{"error":{"message":"no"},"logs":[]}', elapsedMs: 1 };
    });
    const { runId } = await project.send('dear');
    // The run has failed, and its consequences are not drawn yet, when the budget is found spent.
    for (const pass of await project.dispatcher.claim()) await project.dispatcher.drive(pass);
    await checkBudgets(test.engine);
    await project.settle();
    const [failed, followOn] = await project.runs();
    expect(failed).toMatchObject({ id: runId, status: 'failed' });
    expect(followOn).toMatchObject({ onFailureOf: runId, status: 'paused', pausedReason: 'budget' });
    clock.advance(windowMs);
    await checkBudgets(test.engine);
    await project.settle();
    expect(await project.run(followOn?.id)).toMatchObject({ status: 'succeeded', result: 'handled' });
    await project.expectHealthy();
  });

  it('is replayed as a follow-on run, beside the singleton holder of its workflow', async () => {
    const project = await openFlowScene(test, [{ name: 'frail', onFailure: true, singleton: {} }], (request) => {
      if (request.ctx.onFailure) return complete('handled');
      if (request.ctx.triggerKind === 'manual') return steps([{ op: 'Sleep', name: 'nap', sleepMs: 600_000 }]);
      return { kind: 'answer', status: 500, body: '{"error":{"message":"no"},"logs":[]}', elapsedMs: 1 };
    });
    await project.send('frail');
    await project.settle();
    const [, followOn] = await project.runs();
    const { runId } = await project.trigger('frail');
    await project.settle();
    const again = await project.replay(followOn?.id ?? '');
    await project.settle();
    expect(await project.run(again.id)).toMatchObject({ status: 'succeeded', result: 'handled' });
    expect(await project.run(runId)).toMatchObject({ status: 'waiting' });
  });
});

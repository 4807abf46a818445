import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../../src/engine/clock.ts';
import { cancelRun, retryRunFromStep } from '../../../../../src/engine/control/index.ts';
import { useEngine } from '../../../../support/engine.ts';
import { complete, memoOf, type Script, steps, thrown } from '../../../../support/scriptedRunner.ts';
import { openFlowScene } from '../../flowScene.ts';

const clock = new ManualClock();
const test = useEngine({ clock });

const delayMs = 2_000;
const retry = { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1_000 } as const;
const order = { orderId: 7 };

/**
 * A parent that calls `child` in one step or two, and ends with the outcome. A child that was
 * triggered directly sleeps.
 */
function calling({ child, names = ['call'] }: { child: Script; names?: string[] }): Script {
  return (request) => {
    if (request.ctx.workflow === 'child') {
      const isByHand = request.ctx.triggerKind === 'manual';
      return isByHand ? steps([{ op: 'Sleep', name: 'nap', sleepMs: 600_000 }]) : child(request);
    }
    const memos = names.map((name) => memoOf(request, name));
    if (memos.every((memo) => memo && !('pending' in memo))) {
      return complete(memos.map((memo) => memo && ('error' in memo ? memo.error : 'data' in memo ? memo.data : null)));
    }
    return steps(
      names
        .filter((_, position) => !memos[position])
        .map((name) => ({ op: 'RunWorkflow', name, childName: 'child', childData: order })),
    );
  };
}

async function project(policy: object, script: Script, parent: object = { retry }) {
  const workflows = [
    { name: 'parent', ...parent },
    { name: 'child', triggers: [{ event: 'order' }], ...policy },
  ];
  const opened = await openFlowScene(test, workflows, script);
  const children = async () =>
    (await opened.runs({ workflow: 'child' })).map((run) => [run.status, run.parentAttempt ?? undefined]);
  const attempts = async (runId: string | undefined) =>
    (await test.db.prisma.runStep.findMany({ where: { runId: runId ?? '' }, orderBy: { attempt: 'asc' } })).map(
      ({ attempt, status, willRetry }) => ({ attempt, status, willRetry }),
    );
  const later = async () => {
    clock.advance(delayMs);
    await opened.settle();
  };
  return { ...opened, children, attempts, later };
}

const keyed = { idempotency: { key: 'orderId' } };
const failing: Script = () => thrown({ name: 'Sad', message: 'no' });
const refused = (reason: string) => ({
  name: 'FlowControlError',
  message: `the child run was not started: ${reason}`,
});
const seen = refused('its idempotency key was seen before');

describe('a step whose child failed', () => {
  it('calls it again in each attempt, although the first attempt holds the idempotency key', async () => {
    const { trigger, settle, later, children, run, expectHealthy } = await project(keyed, calling({ child: failing }));
    const parent = await trigger('parent');
    await settle();
    await later();
    await later();
    expect(await children()).toEqual([
      ['failed', 1],
      ['failed', 2],
      ['failed', 3],
    ]);
    expect(await run(parent.runId)).toMatchObject({ status: 'succeeded', result: [{ name: 'Sad', message: 'no' }] });
    await expectHealthy();
  });

  it('keeps the key, so other starts with it are deduped within its period', async () => {
    const { trigger, send, settle, later, children } = await project(keyed, calling({ child: failing }));
    await trigger('parent');
    await settle();
    await later();
    expect((await send('order', order)).triggered).toMatchObject([{ deduped: true }]);
    await later();
    expect((await send('order', order)).triggered).toMatchObject([{ deduped: true }]);
    expect(await children()).toHaveLength(3);
  });

  it('keeps the key if the rate limit drops an attempt between', async () => {
    const rateLimit = { limit: 1, perMs: 3_000 };
    const { trigger, send, settle, later, children } = await project(
      { ...keyed, rateLimit },
      calling({ child: failing }),
    );
    await trigger('parent');
    await settle();
    await later();
    expect(await children()).toEqual([['failed', 1]]);
    expect((await send('order', order)).triggered).toMatchObject([{ deduped: true }]);
    await later();
    expect(await children()).toEqual([
      ['failed', 1],
      ['failed', 3],
    ]);
  });
});

describe('a call whose idempotency key another start holds', () => {
  it('fails at once, without further attempts, because the first start keeps the key', async () => {
    const { trigger, send, settle, attempts, run, children } = await project(keyed, calling({ child: failing }));
    await send('order', order);
    const parent = await trigger('parent');
    await settle();
    expect(await run(parent.runId)).toMatchObject({ status: 'succeeded', result: [seen] });
    expect(await attempts(parent.runId)).toEqual([{ attempt: 1, status: 'failed', willRetry: false }]);
    expect(await children()).toHaveLength(1);
  });

  it('fails even if another step of the same run holds it, or the same step of another run', async () => {
    const script = calling({ child: () => complete('done'), names: ['one', 'two'] });
    const { trigger, settle, run } = await project(keyed, script);
    const first = await trigger('parent');
    await settle();
    expect(await run(first.runId)).toMatchObject({ result: ['done', seen] });
    const second = await trigger('parent');
    await settle();
    expect(await run(second.runId)).toMatchObject({ result: [seen, seen] });
  });
});

describe('a call that flow control withheld for now', () => {
  it.each([
    ['its rate limit is reached', { rateLimit: { limit: 1, perMs: 60_000 } }],
    ['another run of its singleton is under way', { singleton: { mode: 'skip' } }],
  ])('because %s counts as one attempt of its step, and the next attempt may succeed', async (_, policy) => {
    const script = calling({ child: () => complete('done') });
    const { projectId, trigger, settle, later, attempts, run, expectHealthy } = await project(policy, script);
    const byHand = await trigger('child');
    await settle();
    const parent = await trigger('parent');
    await settle();
    expect(await run(parent.runId)).toMatchObject({ status: 'waiting' });
    expect(await attempts(parent.runId)).toEqual([{ attempt: 1, status: 'failed', willRetry: true }]);
    await expectHealthy();
    await later();
    await cancelRun(test.engine, { projectId, runId: byHand.runId ?? '', actor: 'ops key' });
    clock.advance(60_000);
    await settle();
    expect(await run(parent.runId)).toMatchObject({ status: 'succeeded', result: ['done'] });
    expect((await attempts(parent.runId)).map(({ status }) => status)).toEqual(['failed', 'failed', 'succeeded']);
  });

  it('fails its step after the last attempt', async () => {
    const script = calling({ child: () => complete('done') });
    const { trigger, settle, later, attempts, run } = await project({ singleton: { mode: 'skip' } }, script);
    await trigger('child');
    const parent = await trigger('parent');
    await settle();
    await later();
    await later();
    const error = refused('another run of its singleton is under way');
    expect(await run(parent.runId)).toMatchObject({ status: 'succeeded', result: [error] });
    expect((await attempts(parent.runId)).map(({ willRetry }) => willRetry)).toEqual([true, true, false]);
  });
});

describe('a fork of a run that called a workflow with idempotency', () => {
  it('calls it again, and so do its own forks and other forks of the same source', async () => {
    const script = calling({ child: () => complete('done') });
    const { projectId, trigger, settle, replay, run, children, expectHealthy } = await project(keyed, script);
    const parent = await trigger('parent');
    await settle();
    const replayed = await replay(parent.runId ?? '');
    await settle();
    const again = await replay(replayed.id);
    await settle();
    const source = { projectId, runId: parent.runId ?? '', actor: 'ops key' };
    const retried = await retryRunFromStep(test.engine, { ...source, step: 'call' });
    await settle();
    for (const id of [replayed.id, again.id, retried.id]) {
      expect(await run(id)).toMatchObject({ status: 'succeeded', result: ['done'] });
    }
    expect(await children()).toHaveLength(4);
    await expectHealthy();
  });

  it('calls it again if a former fork claimed the key again', async () => {
    const periodMs = 10_000;
    const policy = { idempotency: { key: 'orderId', periodMs } };
    const { trigger, settle, replay, run } = await project(policy, calling({ child: () => complete('done') }));
    const parent = await trigger('parent');
    await settle();
    clock.advance(periodMs);
    await replay(parent.runId ?? '');
    await settle();
    const again = await replay(parent.runId ?? '');
    await settle();
    expect(await run(again.id)).toMatchObject({ status: 'succeeded', result: ['done'] });
  });
});

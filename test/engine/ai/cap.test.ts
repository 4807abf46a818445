import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { replayRun, retryRunFromStep } from '../../../src/engine/control/index.ts';
import { useEngine } from '../../support/engine.ts';
import { complete, memoOf, steps } from '../../support/scriptedRunner.ts';
import { call, openScene } from './scene.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

/** Calls one model after the other, and ignores the cap. */
const oneByOne =
  (names: readonly string[], usage = { tokensIn: 40, tokensOut: 20 } as object) =>
  (request: Parameters<typeof memoOf>[0]) => {
    const next = names.find((name) => !memoOf(request, name));
    return next === undefined ? complete('done') : steps([call(next, usage)]);
  };

describe('a cap', () => {
  it('lets the call that reaches it complete, and fails the run at the next, which is recorded', async () => {
    const {
      dispatcher,
      start,
      run,
      steps: rows,
      usage,
    } = await openScene(test, oneByOne(['a', 'b', 'c', 'd']), {
      cap: { maxTokens: 120 },
    });
    const runId = await start();
    await dispatcher.runOnce();
    const ended = await run(runId);
    expect(ended.status).toBe('failed');
    expect(ended.error).toEqual({
      name: 'BudgetError',
      message: 'the AI steps of this run have spent 120 tokens; its cap is 120',
    });
    expect(await rows(runId)).toMatchObject(['a', 'b', 'c'].map((name) => ({ name, status: 'succeeded' })));
    expect(await usage(runId)).toHaveLength(3);
  });

  it('that was reached stops no step that calls no model', async () => {
    const { dispatcher, start, run } = await openScene(
      test,
      (request) => {
        if (memoOf(request, 'plain')) return complete('done');
        return steps([memoOf(request, 'a') ? { op: 'StepRun', name: 'plain', data: 1 } : call('a', { tokensIn: 500 })]);
      },
      { cap: { maxTokens: 100 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('is sent to the runner with the spend, across passes, parking and another claim', async () => {
    const { dispatcher, start, told } = await openScene(
      test,
      (request) => {
        if (!memoOf(request, 'a')) return steps([call('a', { tokensIn: 7, tokensOut: 3 })]);
        if (!memoOf(request, 'b')) return steps([call('b', { tokensIn: 5, cost: 0.1 })]);
        if (!memoOf(request, 'nap')) return steps([{ op: 'Sleep', name: 'nap', sleepMs: 1000 }]);
        return memoOf(request, 'c') ? complete(1) : steps([call('c', { cost: 0.2 })]);
      },
      { cap: { maxTokens: 100, maxCost: 5 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    clock.advance(2000);
    await dispatcher.runOnce();
    const limits = { maxTokens: 100, maxCost: 5 };
    expect(await told(runId)).toEqual([
      { tokens: 0, ...limits },
      { tokens: 10, ...limits },
      { tokens: 15, cost: 0.1, ...limits },
      { tokens: 15, cost: 0.1, ...limits },
      { tokens: 15, cost: 0.3, ...limits },
    ]);
  });

  it('is not sent if none is set', async () => {
    const { dispatcher, start, told } = await openScene(test, oneByOne(['a', 'b']));
    const runId = await start();
    await dispatcher.runOnce();
    expect(told(runId)).toEqual([undefined, undefined, undefined]);
  });

  it('on cost applies to priced calls only', async () => {
    const cap = { maxCost: 0.3 };
    const unpriced = await openScene(test, oneByOne(['a', 'b', 'c'], { tokensIn: 1_000_000 }), { cap });
    const free = await unpriced.start();
    await unpriced.dispatcher.runOnce();
    expect(await unpriced.run(free)).toMatchObject({ status: 'succeeded' });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const priced = await openScene(test, oneByOne(names, { cost: 0.1 }), { cap });
    const paid = await priced.start();
    await priced.dispatcher.runOnce();
    expect((await priced.run(paid)).error).toEqual({
      name: 'BudgetError',
      message: 'the AI steps of this run have spent $0.3; its cap is $0.3',
    });
    expect(await priced.usage(paid)).toHaveLength(4);
  });

  it('counts failed attempts', async () => {
    const { dispatcher, start, run, usage } = await openScene(
      test,
      () => steps([call('a', { tokensIn: 60 }, { error: { message: 'overloaded' } })]),
      { maxAttempts: 9, cap: { maxTokens: 100 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    for (let retry = 0; retry < 4; retry += 1) {
      clock.advance(2000);
      await dispatcher.runOnce();
    }
    expect(await run(runId)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
    expect(await usage(runId)).toHaveLength(3);
  });

  it('judges AI steps that ran side by side together: none of them was called after it was reached', async () => {
    const side = (names: string[]) => steps(names.map((name) => call(name, { tokensIn: 60 })));
    const {
      dispatcher,
      start,
      run,
      usage,
      steps: rows,
    } = await openScene(test, (request) => (memoOf(request, 'a') ? side(['d', 'e']) : side(['a', 'b', 'c'])), {
      cap: { maxTokens: 100 },
    });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
    expect((await rows(runId)).map((row) => [row.name, row.status])).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'succeeded']),
    );
    expect(await usage(runId)).toHaveLength(5);
  });

  it('that ends a run cancels its open branches, without a retry', async () => {
    const {
      dispatcher,
      start,
      steps: rows,
    } = await openScene(
      test,
      (request) =>
        memoOf(request, 'a')
          ? steps([call('b', { tokensIn: 1 }), { op: 'Sleep', name: 'nap', sleepMs: 5 }])
          : steps([call('a', { tokensIn: 100 }), { op: 'WaitForEvent', name: 'wait', eventName: 'never' }]),
      { cap: { maxTokens: 100 }, maxAttempts: 3 },
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect((await rows(runId)).map((row) => [row.name, row.status])).toEqual([
      ['a', 'succeeded'],
      ['wait', 'cancelled'],
      ['b', 'succeeded'],
      ['nap', 'cancelled'],
    ]);
    expect(await test.db.prisma.runWork.count({ where: { runId } })).toBe(0);
  });

  it('is the current one: set or lowered during a run, it counts the former spend', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const { dispatcher, start, run, register, told } = await openScene(
      test,
      (request) => {
        const next = names.find((name) => !memoOf(request, name));
        return next ? steps([call(next, { tokensIn: 50 })]) : complete(1);
      },
      {},
    );
    const runId = await start();
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    await register({ cap: { maxTokens: 1000 } });
    await dispatcher.drive(pass);
    expect(await told(runId)).toEqual([
      undefined,
      ...[50, 100, 150, 200].map((tokens) => ({ tokens, maxTokens: 1000 })),
    ]);
    expect(await run(runId)).toMatchObject({ status: 'succeeded' });
    const second = await start();
    const [next] = await dispatcher.claim();
    if (!next) throw new Error('nothing was claimed');
    await register({ cap: { maxTokens: 100 } });
    await dispatcher.drive(next);
    expect(await run(second)).toMatchObject({ status: 'failed', error: { name: 'BudgetError' } });
  });

  it('starts at zero in a replay, and in a retry from a step', async () => {
    const { dispatcher, start, told, projectId, run } = await openScene(test, oneByOne(['a', 'b', 'c']), {
      cap: { maxTokens: 100 },
    });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'failed' });
    const { id: retried } = await retryRunFromStep(test.engine, { projectId, runId, step: 'c', actor: 'test' });
    const { id: replayed } = await replayRun(test.engine, { projectId, runId, actor: 'test' });
    await dispatcher.runOnce();
    expect((await told(retried)).map((ai) => ai?.tokens)).toEqual([0, 60]);
    expect(await run(retried)).toMatchObject({ status: 'succeeded' });
    expect((await told(replayed)).map((ai) => ai?.tokens)).toEqual([0, 60, 120]);
    expect(await run(replayed)).toMatchObject({ status: 'failed' });
  });
});

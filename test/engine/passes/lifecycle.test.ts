import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { cancelRun } from '../../../src/engine/control/index.ts';
import { sendEvent } from '../../../src/engine/events/index.ts';
import { RawJson } from '../../../src/engine/json/index.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { answer, complete, idOf, memoOf, steps, thrown } from '../../support/scriptedRunner.ts';
import { registerWorkflows } from '../../support/workflows.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const ok = (name: string, data: unknown) => ({ op: 'StepRun' as const, name, data });

describe('a run', () => {
  it('executes its steps one pass after the other and succeeds with the result', async () => {
    const { dispatcher, start, run, stepRows, frames } = await openScene(test, (request) => {
      if (!memoOf(request, 'a')) return steps([ok('a', 1)]);
      if (!memoOf(request, 'b')) return steps([ok('b', { two: 2 })]);
      return complete({ a: memoOf(request, 'a'), b: memoOf(request, 'b') });
    });
    const runId = await start({ hello: 'scene' });
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect((await run(runId)).result).toEqual({ a: { data: 1 }, b: { data: { two: 2 } } });
    expect(
      (await stepRows(runId)).map(({ name, index, attempt, status }) => ({ name, index, attempt, status })),
    ).toEqual([
      { name: 'a', index: 0, attempt: 1, status: 'succeeded' },
      { name: 'b', index: 1, attempt: 1, status: 'succeeded' },
    ]);
    expect((await frames(runId)).map(({ seq, kind, status }) => [seq, kind, status])).toEqual([
      [1, 'run_status', 'queued'],
      [2, 'run_status', 'running'],
      [3, 'step_status', 'succeeded'],
      [4, 'step_status', 'succeeded'],
      [5, 'run_status', 'succeeded'],
    ]);
  });

  it('retries a failed step after its backoff, and memoizes the error once the budget is spent', async () => {
    const { dispatcher, start, run, stepRows } = await openScene(
      test,
      (request) => {
        const memo = memoOf(request, 'flaky');
        if (memo && 'error' in memo) return complete({ caught: memo.error.message });
        return steps([{ op: 'StepRun', name: 'flaky', error: { message: 'no luck' } }]);
      },
      { name: 'flow', retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 1000 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    expect(await stepRows(runId)).toMatchObject([{ attempt: 1, status: 'failed', willRetry: true }]);
    for (let retry = 0; retry < 2; retry += 1) {
      clock.advance(1200);
      await dispatcher.runOnce();
    }
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { caught: 'no luck' } });
    expect((await stepRows(runId)).map((row) => row.attempt)).toEqual([1, 2, 3]);
  });

  it('fails at once when a step says that it is not retriable', async () => {
    const { dispatcher, start, run } = await openScene(
      test,
      () => steps([{ op: 'StepRun', name: 's', error: { name: 'Bad', message: 'never' }, retriable: false }]),
      { name: 'flow', retry: { maxAttempts: 5 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'failed', error: { name: 'Bad', message: 'never' } });
  });

  it('fails with the error of a spent step that the handler does not catch, without another attempt', async () => {
    const { dispatcher, start, run } = await openScene(
      test,
      (request) => {
        const memo = memoOf(request, 's');
        if (!memo) return steps([{ op: 'StepRun', name: 's', error: { message: 'spent' }, retryAfterMs: 0 }]);
        return thrown({ message: 'spent' });
      },
      { name: 'flow', retry: { maxAttempts: 2 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'failed', attempt: 1, error: { message: 'spent' } });
  });

  it('retries a handler failure with a higher run-level attempt', async () => {
    const attempts: number[] = [];
    const { dispatcher, start, run } = await openScene(
      test,
      (request) => {
        attempts.push(request.ctx.attempt);
        return request.ctx.attempt === 1 ? thrown({ message: 'oops' }) : complete('fine');
      },
      { name: 'flow', retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 500 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'waiting', attempt: 2 });
    clock.advance(600);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'fine' });
    expect(attempts).toEqual([1, 2]);
  });

  it.each([
    [{ retryAfterMs: 3_000 }, 3_000],
    [{ retryAfterMs: 0 }, 0],
    [{ retryAfterMs: -1 }, 60_000],
    [{ retryAfterMs: '3000' }, 60_000],
  ])('retries its handler after the delay that it asks for, if valid: %j', async (wish, delayMs) => {
    const { dispatcher, start, run } = await openScene(
      test,
      ({ ctx }) => (ctx.attempt === 1 ? answer(500, { error: { message: 'later' }, ...wish }) : complete('fine')),
      { name: 'flow', retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 60_000 } },
    );
    const runId = await start();
    await dispatcher.runOnce();
    if (delayMs > 0) {
      clock.advance(delayMs - 1);
      await dispatcher.runOnce();
      expect(await run(runId)).toMatchObject({ status: 'waiting', attempt: 2 });
    }
    // The policy's own delay has up to a tenth more.
    clock.advance(delayMs === 60_000 ? 6_001 : 1);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'fine' });
  });

  it('sleeps without a worker and wakes when due', async () => {
    const { dispatcher, start, run, stepRows, frames } = await openScene(test, (request) => {
      if (!memoOf(request, 'nap')) return steps([{ op: 'Sleep', name: 'nap', sleepMs: 60_000 }]);
      return complete(memoOf(request, 'nap'));
    });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'waiting' });
    expect(await stepRows(runId)).toMatchObject([{ name: 'nap', status: 'waiting', input: { sleepMs: 60_000 } }]);
    clock.advance(59_000);
    expect(await dispatcher.runOnce()).toBe(0);
    clock.advance(1_001);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { data: null } });
    expect((await frames(runId)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('waits for an event that its guard accepts, and receives it', async () => {
    const { projectId, dispatcher, start, run } = await openScene(test, (request) => {
      if (!memoOf(request, 'w')) {
        return steps([
          { op: 'WaitForEvent', name: 'w', eventName: 'paid', eventIf: 'data.order == 7', timeoutMs: 60_000 },
        ]);
      }
      return complete(memoOf(request, 'w'));
    });
    const runId = await start();
    await dispatcher.runOnce();
    const other = await sendEvent(test.engine, { projectId, input: { name: 'paid', data: RawJson.of({ order: 8 }) } });
    expect(other.woke).toBe(0);
    const hit = await sendEvent(test.engine, { projectId, input: { name: 'paid', data: RawJson.of({ order: 7 }) } });
    expect(hit.woke).toBe(1);
    await dispatcher.runOnce();
    expect((await run(runId)).result).toMatchObject({ data: { id: hit.eventId, name: 'paid', data: { order: 7 } } });
    const record = await test.db.prisma.event.findUniqueOrThrow({ where: { id: hit.eventId } });
    expect(record).toMatchObject({ woke: 1, wokeRuns: [runId] });
  });

  it('continues with null if no event arrives before the timeout', async () => {
    const { dispatcher, start, run, projectId } = await openScene(test, (request) => {
      if (!memoOf(request, 'w')) return steps([{ op: 'WaitForEvent', name: 'w', eventName: 'paid', timeoutMs: 5_000 }]);
      return complete(memoOf(request, 'w'));
    });
    const runId = await start();
    await dispatcher.runOnce();
    clock.advance(5_001);
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: { data: null } });
    expect((await sendEvent(test.engine, { projectId, input: { name: 'paid' } })).woke).toBe(0);
  });

  it('receives its memo in the order in which steps were settled, from every process', async () => {
    const { projectId, dispatcher, start, run } = await openScene(test, (request) => {
      if (!memoOf(request, 'nap')) {
        return steps([
          { op: 'Sleep', name: 'nap', sleepMs: 60_000 },
          { op: 'WaitForEvent', name: 'w', eventName: 'first' },
        ]);
      }
      const settled = Object.entries(request.steps).flatMap(([id, memo]) => ('data' in memo ? [id] : []));
      return settled.length < 2 ? steps([]) : complete(settled);
    });
    const runId = await start();
    await dispatcher.runOnce();
    await sendEvent(test.engine, { projectId, input: { name: 'first' } });
    await dispatcher.runOnce();
    clock.advance(60_001);
    await dispatcher.runOnce();
    expect((await run(runId)).result).toEqual([idOf('w'), idOf('nap')]);
  });

  it('fails at once if its handler says that no further attempt can succeed', async () => {
    const hopeless = answer(500, { error: { message: 'wrong input' }, retriable: false, logs: [] });
    const { dispatcher, start, run } = await openScene(test, () => hopeless, {
      name: 'flow',
      retry: { maxAttempts: 5 },
    });
    const runId = await start();
    await dispatcher.runOnce();
    expect(await run(runId)).toMatchObject({ status: 'failed', attempt: 1, error: { message: 'wrong input' } });
  });

  it('S3: is not parked by a pass that missed an event', async () => {
    let sent = false;
    const { projectId, dispatcher, start, run } = await openScene(test, (request) => {
      if (!memoOf(request, 'w')) {
        return steps([
          { op: 'WaitForEvent', name: 'w', eventName: 'now' },
          { op: 'StepRun', name: 'a', data: 1 },
        ]);
      }
      const memo = memoOf(request, 'w');
      return memo && 'data' in memo ? complete('woken') : steps([]);
    });
    const runId = await start();
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    const { settlePass } = await import('../../../src/engine/passes/index.ts');
    const first = steps([
      { op: 'WaitForEvent', name: 'w', eventName: 'now' },
      { op: 'StepRun', name: 'a', data: 1 },
    ]);
    expect(await settlePass(test.engine, pass, first)).toBe('again');
    const event = await sendEvent(test.engine, { projectId, input: { name: 'now' } });
    sent = event.woke === 1;
    expect(sent).toBe(true);
    // The pass in progress does not know of the event yet, and would park.
    expect(await settlePass(test.engine, pass, steps([]))).toBe('again');
    await dispatcher.drive(pass);
    expect(await run(runId)).toMatchObject({ status: 'succeeded', result: 'woken' });
  });

  it('emits an event once, in the transaction of its step, and starts its runs one level deeper', async () => {
    const { projectId, dispatcher, start, run } = await openScene(test, (request) => {
      if (request.event.name === 'emitted') return complete('second');
      if (!memoOf(request, 'e')) return steps([{ op: 'Emit', name: 'e', eventName: 'emitted', data: { n: 1 } }]);
      return complete(memoOf(request, 'e'));
    });
    await registerWorkflows(test.engine, projectId, [{ name: 'emitted' }], { runner: 'runner-2' });
    const runId = await start();
    await dispatcher.runOnce();
    const event = await test.db.prisma.event.findFirstOrThrow({ where: { projectId, name: 'emitted' } });
    expect(event).toMatchObject({ source: 'emit', sourceRunId: runId, data: { n: 1 } });
    const second = await test.db.prisma.run.findFirstOrThrow({ where: { eventId: event.id } });
    expect(second).toMatchObject({ workflow: 'emitted', depth: 1, status: 'succeeded' });
    expect((await run(runId)).result).toEqual({ data: { eventId: event.id, runIds: [second.id] } });
  });

  it('is cancelled with its open steps, and a late answer changes nothing', async () => {
    const { projectId, dispatcher, start, run, stepRows, frames } = await openScene(test, () =>
      steps([{ op: 'Sleep', name: 'nap', sleepMs: 1000 }, ok('a', 1)]),
    );
    const runId = await start();
    const [pass] = await dispatcher.claim();
    if (!pass) throw new Error('nothing was claimed');
    const { settlePass } = await import('../../../src/engine/passes/index.ts');
    await settlePass(test.engine, pass, steps([{ op: 'Sleep', name: 'nap', sleepMs: 1000 }, ok('a', 1)]));
    await cancelRun(test.engine, { projectId, runId, actor: 'test' });
    expect(await settlePass(test.engine, pass, complete('late'))).toBe('released');
    expect(await run(runId)).toMatchObject({ status: 'cancelled', result: null });
    expect((await stepRows(runId)).map((row) => row.status)).toEqual(['cancelled', 'succeeded']);
    expect((await frames(runId)).at(-1)).toMatchObject({ kind: 'run_status', status: 'cancelled' });
    await expect(cancelRun(test.engine, { projectId, runId, actor: 'test' })).rejects.toThrow(
      'run already in a terminal state',
    );
  });

  it('persists a log line once, however often the handler replays it', async () => {
    const line = { level: 'info' as const, message: 'hi', scope: '@root', index: 0, tsMs: 1 };
    const { dispatcher, start, frames } = await openScene(test, (request) =>
      memoOf(request, 'a') ? complete(1, [line]) : steps([ok('a', 1)], [line]),
    );
    const runId = await start();
    await dispatcher.runOnce();
    const all = await frames(runId);
    expect(all.filter((frame) => frame.kind === 'log')).toMatchObject([{ message: 'hi', scope: '@root', attempt: 1 }]);
    expect(all.map((frame) => frame.seq)).toEqual(all.map((_, position) => position + 1));
  });
});

import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import type { StepState } from '../../../src/engine/passes/memo.ts';
import { isLetThrough } from '../../../src/engine/passes/readAnswer.ts';
import { useEngine } from '../../support/engine.ts';
import { openScene } from '../../support/scene.ts';
import { answer, complete, idOf, memoOf, type Script, steps, thrown } from '../../support/scriptedRunner.ts';

const clock = new ManualClock();

const test = useEngine({ clock });

const flow = { name: 'flow', retry: { maxAttempts: 2, backoff: 'fixed', initialDelayMs: 1_000 } } as const;
const failing = (error: object) => ({ op: 'StepRun' as const, name: 's', error: { message: 'm', ...error } });

/**
 * A run whose step has used up both its attempts. Its handler then does what `after` says.
 */
async function spent(error: object, after: Script) {
  const script: Script = (request) => {
    const memo = memoOf(request, 's');
    return memo && 'error' in memo ? after(request) : steps([{ ...failing(error), retryAfterMs: 0 }]);
  };
  const { dispatcher, start, run } = await openScene(test, script, flow);
  const runId = await start();
  await dispatcher.runOnce();
  return { run: () => run(runId), dispatcher };
}

describe('a handler that throws after a step has failed for good', () => {
  it('is retried if it caught that failure, even in the pass that delivers the failure', async () => {
    const { run, dispatcher } = await spent({ message: 'step boom' }, (request) =>
      request.ctx.attempt === 1 ? thrown({ message: 'other, transient' }) : complete('fine'),
    );
    expect(await run()).toMatchObject({ status: 'waiting', attempt: 2 });
    clock.advance(1_200);
    await dispatcher.runOnce();
    expect(await run()).toMatchObject({ status: 'succeeded', result: 'fine' });
  });

  it('is retried if its own message only happens to contain that of the step', async () => {
    const { run } = await spent({ message: 'timeout' }, () => thrown({ message: 'db timeout' }));
    expect(await run()).toMatchObject({ status: 'waiting', attempt: 2 });
  });

  it('fails its run at once if it names the step, with any message', async () => {
    const { run } = await spent({ message: 'timeout' }, () =>
      answer(500, { error: { message: 'in other words', stepId: idOf('s') }, logs: [] }),
    );
    expect(await run()).toMatchObject({ status: 'failed', attempt: 1, error: { message: 'in other words' } });
    expect((await run()).error).not.toHaveProperty('stepId');
  });

  it('is retried if it names no failed step, although the message is the same', async () => {
    const { run } = await spent({ message: 'timeout' }, () =>
      answer(500, { error: { message: 'timeout', stepId: idOf('other') }, logs: [] }),
    );
    expect(await run()).toMatchObject({ status: 'waiting', attempt: 2 });
  });

  it('is retried if it names no step, although the message is the same', async () => {
    const { run } = await spent({ message: 'timeout' }, () =>
      answer(500, { error: { message: 'db: timeout', stepId: null }, logs: [] }),
    );
    expect(await run()).toMatchObject({ status: 'waiting', attempt: 2 });
  });

  it('fails its run at once if it repeats the error, even many passes later', async () => {
    const { run } = await spent({ message: '' }, (request) =>
      memoOf(request, 'b') ? thrown({ message: '' }) : steps([{ op: 'StepRun', name: 'b', data: 1 }]),
    );
    expect(await run()).toMatchObject({ status: 'failed', attempt: 1, error: { message: '' } });
  });
});

describe('an error that names no step', () => {
  const failed = (error: object): StepState[] => [
    {
      ...{ stepId: 's', index: 0, attempt: 1, name: 's', op: 'StepRun', status: 'failed', output: undefined },
      ...{ error: JSON.stringify(error), willRetry: false, runAfter: undefined },
    },
  ];

  it.each([
    [{ message: 'm' }, { message: 'm' }, true],
    [{ name: 'A', message: 'm' }, { name: 'A', message: 'm' }, true],
    [{ name: 'StepError', message: 'm' }, { name: 'Error', message: 'm' }, true],
    [{ message: 'm' }, { name: 'B', message: 'm' }, true],
    [{ name: 'A', message: 'm' }, { message: 'm' }, true],
    [{ name: 'A', message: 'order failed: m' }, { name: 'B', message: 'm' }, true],
    [{ message: 'order failed:m' }, { message: 'm' }, false],
    [{ message: 'm: and more' }, { message: 'm' }, false],
    [{ message: 'some m' }, { message: 'm' }, false],
    [{ message: '' }, { message: '' }, true],
    [{ message: 'anything: ' }, { message: '' }, false],
    [{ message: 'anything' }, { message: '' }, false],
    [{ message: '' }, { message: 'm' }, false],
  ])('%j after %j is the failure of that step: %s', (error, step, expected) => {
    expect(isLetThrough({ error, stepId: undefined }, failed(step))).toBe(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { eventType, StepTimeoutError } from '../../../sdk/src/index.ts';
import type { StepRunOpcode } from '../../../sdk/src/protocol.ts';
import { defineWorkflow, type Handler, type WorkflowOptions } from '../../../sdk/src/workflow.ts';
import { pass } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>, options: WorkflowOptions = {}) =>
  defineWorkflow('default', { id: 'w', ...options }, handler);
const never = (): Promise<void> => new Promise(() => {});
const timedOut = (ms: number) => ({
  name: 'StepTimeoutError',
  message: `step "slow" did not finish within ${ms} ms`,
});

/** The only opcode of a first pass. */
const reported = async (...args: Parameters<typeof workflow>) => (await pass(workflow(...args))).opcodes[0];

describe('a step with a time limit', () => {
  it('fails its attempt once the limit has passed, and its signal aborts', async () => {
    let signal: AbortSignal | undefined;
    const opcode = await reported(({ step }) =>
      step.run('slow', { timeout: 5, retry: { maxAttempts: 3 } }, (info) => {
        signal = info.signal;
        return never();
      }),
    );
    expect(opcode).toMatchObject({ op: 'StepRun', error: timedOut(5), retry: { maxAttempts: 3 } });
    expect(opcode).not.toHaveProperty('retriable');
    expect(signal?.aborted).toBe(true);
  });

  it('fails so whatever its aborted body throws', async () => {
    const opcode = await reported(({ step }) =>
      step.run('slow', { timeout: 5 }, ({ signal }) => {
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
    );
    expect(opcode).toMatchObject({ error: timedOut(5) });
  });

  it('has the limit of its workflow, unless it sets one', async () => {
    const body = (options: { timeout?: number }): Handler<unknown, unknown> => {
      return ({ step }) => step.run('slow', options, never);
    };
    expect(await reported(body({}), { stepTimeout: '6ms' })).toMatchObject({ error: timedOut(6) });
    expect(await reported(body({ timeout: 7 }), { stepTimeout: '1h' })).toMatchObject({ error: timedOut(7) });
  });

  it('succeeds within the limit, with an input or without', async () => {
    const signals: AbortSignal[] = [];
    const { opcodes } = await pass(
      workflow(({ step }) =>
        Promise.all([
          step.run('plain', { timeout: '1h' }, ({ name, signal }) => signals.push(signal) && name),
          step.run('given', { timeout: '1h', input: { n: 1 } }, ({ n }, { name }) => `${name} ${n}`),
        ]),
      ),
    );
    expect(opcodes).toMatchObject([{ data: 'plain' }, { input: { n: 1 }, data: 'given 1' }]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('reports the usage of an AI step that timed out', async () => {
    const opcode = await reported(({ step }) =>
      step.ai.wrap('slow', { timeout: 5 }, ({ report }) => {
        report({ tokensIn: 7 });
        return never();
      }),
    );
    expect((opcode as StepRunOpcode).usage).toMatchObject({ tokensIn: 7 });
    expect(opcode).toMatchObject({ error: timedOut(5) });
  });

  it('is caught in a later pass as a StepTimeoutError', async () => {
    const w = workflow(async ({ step }) => {
      try {
        return await step.run('slow', { timeout: 5 }, never);
      } catch (error) {
        return error instanceof StepTimeoutError ? [error.step, error.message] : 'another error';
      }
    });
    const answer = await pass(w, { memo: { slow: { error: timedOut(5) } } });
    expect(answer.data).toEqual(['slow', timedOut(5).message]);
  });
});

describe('invalid limits', () => {
  it.each([
    [{ timeout: 0 }, 'the timeout of step "slow" must be longer than 0'],
    [{ timeout: 'soon' }, 'the timeout of step "slow" must be milliseconds'],
    [{ retry: { attempts: 3 } }, 'the retry of step "slow" has an invalid attempts: 3'],
    [{ retry: { maxAttempts: 0 } }, 'the retry of step "slow" has an invalid maxAttempts: 0'],
    [{ retry: 3 }, 'the retry of step "slow" must be an object, such as { maxAttempts: 3 }; it is 3'],
    ['30s', `the options of step "slow" must be an object, such as { timeout: '30s' }; it is "30s"`],
  ])('%j fail the run for good', async (options, message) => {
    const answer = await pass(workflow(({ step }) => step.run('slow', options as object, never)));
    expect(answer).toMatchObject({
      status: 500,
      retriable: false,
      error: { message: expect.stringContaining(message) },
    });
  });

  it('of a workflow are refused where it is defined', () => {
    expect(() => workflow(() => 1, { stepTimeout: 0 })).toThrow(
      'the stepTimeout of workflow "w" must be longer than 0',
    );
  });
});

describe('limits of runs', () => {
  const stop = eventType<{ id: string }>('stop');

  it('are registered: a duration in milliseconds, and events by their names', () => {
    const { definition } = workflow(() => 1, {
      maxDuration: '2h',
      cancelOn: [stop, { event: stop, if: 'data.id == run.input.id' }, { event: 'halt.*' }],
    });
    expect(definition).toEqual({
      name: 'w',
      maxDuration: 7_200_000,
      cancelOn: [{ event: 'stop' }, { event: 'stop', if: 'data.id == run.input.id' }, { event: 'halt.*' }],
    });
  });

  it.each([
    [{ maxDuration: 0 }, 'the maxDuration of workflow "w" must be longer than 0'],
    [{ cancelOn: 'stop' }, 'cancelOn of workflow "w" must be a list; it is "stop"'],
    [{ cancelOn: ['stop'] }, 'cancelOn[0] of workflow "w" must be an event type or { event:'],
  ])('%j are refused', (options, message) => {
    expect(() => workflow(() => 1, options as object)).toThrow(message);
  });
});

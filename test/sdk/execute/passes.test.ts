import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { RetryAfterError } from '../../../sdk/src/errors.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);

describe('a pass', () => {
  it('runs the first step and reports it, without going past it', async () => {
    let isPast = false;
    const w = workflow(async ({ step }) => {
      await step.run('a', () => 1);
      isPast = true;
    });
    const answer = await pass(w);
    expect(answer.status).toBe(206);
    expect(answer.opcodes).toEqual([{ op: 'StepRun', id: hashStepId('a'), name: 'a', data: 1 }]);
    expect(isPast).toBe(false);
  });

  it('tells how long before its answer the handler called a sleep', async () => {
    const beside = (body: () => unknown) =>
      workflow(async ({ step }) => {
        await Promise.all([step.sleep('nap', '1h'), step.run('work', body)]);
      });
    const [waited] = (await pass(beside(() => delay(40)))).opcodes;
    expect(waited).toMatchObject({ op: 'Sleep', name: 'nap', sleepMs: 3_600_000, agoMs: expect.any(Number) });
    expect(waited?.op === 'Sleep' && (waited.agoMs ?? 0)).toBeGreaterThanOrEqual(39);
    const alone = await pass(workflow(({ step }) => step.sleep('nap', '1h')));
    expect(alone.opcodes).toEqual([{ op: 'Sleep', id: hashStepId('nap'), name: 'nap', sleepMs: 3_600_000 }]);
  });

  it('tells it, too, if it waited for work of the handler that is no step', async () => {
    const w = workflow(async ({ step }) => {
      setTimeout(() => {}, 5);
      await step.sleep('nap', '1h');
    });
    const { opcodes } = await pass(w);
    expect(opcodes).toMatchObject([{ op: 'Sleep', agoMs: expect.any(Number) }]);
  });

  it('gives back what is saved, and never runs a saved step', async () => {
    const ran: string[] = [];
    const w = workflow(async ({ step }) => {
      const a = await step.run('a', () => ran.push('a'));
      const b = await step.run('b', () => ran.push('b'));
      return [a, b];
    });
    const answer = await pass(w, { memo: { a: { data: 'first' }, b: { data: 'second' } } });
    expect(answer).toMatchObject({ status: 200, data: ['first', 'second'] });
    expect(ran).toEqual([]);
  });

  it('answers 200 without data where the handler returns nothing', async () => {
    const answer = await pass(workflow(async () => {}));
    expect(answer).toMatchObject({ status: 200, hasData: false, logs: [] });
  });

  it('answers 500 with name, message and stack where the handler throws', async () => {
    const answer = await pass(
      workflow(() => {
        throw new RangeError('too far');
      }),
    );
    expect(answer).toMatchObject({ status: 500, error: { name: 'RangeError', message: 'too far' } });
    expect(answer.error?.stack).toContain('passes.test.ts');
  });

  it('rejects a step that failed for good with the name, message and stack that were saved', async () => {
    const error = { name: 'TypeError', message: 'no', stack: 'TypeError: no\n    at somewhere' };
    const w = workflow(async ({ step }) => {
      try {
        await step.run('a', () => 1);
      } catch (cause) {
        return cause instanceof Error && { name: cause.name, message: cause.message, stack: cause.stack };
      }
    });
    expect(await pass(w, { memo: { a: { error } } })).toMatchObject({ status: 200, data: error });
  });

  it('lets an uncaught failure of a step fail the handler', async () => {
    const w = workflow(async ({ step }) => step.run('a', () => 1));
    const answer = await pass(w, { memo: { a: { error: { name: 'Boom', message: 'no' } } } });
    expect(answer).toMatchObject({ status: 500, error: { name: 'Boom', message: 'no', stepId: hashStepId('a') } });
  });

  it('says when a handler that fails wants to be tried again', async () => {
    const w = workflow(async () => {
      throw new RetryAfterError('later', '2s');
    });
    expect(await pass(w)).toMatchObject({ status: 500, retryAfterMs: 2_000, error: { message: 'later' } });
  });

  it('names no step where the handler caught the failure and throws an error of its own', async () => {
    const w = workflow(async ({ step }) => {
      await step.run('a', () => 1).catch(() => {});
      throw new RangeError('no');
    });
    const answer = await pass(w, { memo: { a: { error: { name: 'Boom', message: 'no' } } } });
    expect(answer).toMatchObject({ status: 500, error: { name: 'RangeError', message: 'no' } });
    expect(answer.error).toHaveProperty('stepId', null);
  });

  it('blocks on a pending step without running or reporting it again', async () => {
    const w = workflow(async ({ step }) => {
      await step.sleep('nap', '1h');
      await step.run('after', () => 1);
    });
    expect(await pass(w, { memo: { nap: { pending: true } } })).toMatchObject({ status: 206, opcodes: [] });
  });

  it('names a second use of an id x:1 and a third x:2', async () => {
    const w = workflow(async ({ step }) => {
      for (const n of [1, 2, 3]) await step.run('x', () => n);
    });
    const { passes } = await play(w);
    expect(passes).toEqual([['x'], ['x:1'], ['x:2'], []]);
  });

  it('gives a reused id another name where that name is an id of its own', async () => {
    const w = workflow(async ({ step }) =>
      Promise.all(['x', 'x:1', 'x'].map((id) => step.run(id, ({ name }) => name))),
    );
    expect((await play(w)).answer.data).toEqual(['x', 'x:1', 'x:2']);
  });

  it('hands the input of a step to its body and records it', async () => {
    const w = workflow(async ({ step }) => step.run('sum', { input: { a: 1, b: 2 } }, ({ a, b }) => a + b));
    expect((await pass(w)).opcodes).toMatchObject([{ op: 'StepRun', input: { a: 1, b: 2 }, data: 3 }]);
  });

  it('gives the body of a step its attempt', async () => {
    const w = workflow(async ({ step }) => step.run('a', ({ attempt }) => attempt));
    const again = await pass(w, { ctx: { stepAttempts: { [hashStepId('a')]: 3 } } });
    expect([(await pass(w)).opcodes, again.opcodes]).toMatchObject([[{ data: 1 }], [{ data: 3 }]]);
  });

  it('says each structural step as its opcode', async () => {
    const until = new Date('2030-01-01T00:00:00Z');
    const w = workflow(async ({ step }) =>
      Promise.all([
        step.sleep('s', '1.5s'),
        step.sleepUntil('u', until),
        step.sleepUntil('v', 12),
        step.waitForEvent('w', { event: 'paid', if: 'data.id == 1', timeout: '2d' }),
        step.waitForEvent('forever', { event: 'paid' }),
        step.waitForEvent('back', { event: 'paid', since: until.toISOString() }),
        step.waitForEvent('far back', { event: 'paid', since: 12 }),
        step.emit('e', { name: 'hello', data: { a: 1 }, dedupeId: 'd', targetApp: 'other', tags: { k: 'v' } }),
        step.skip('k', 'not needed'),
      ]),
    );
    const opcodes = (await pass(w)).opcodes.map(({ id: _, ...opcode }) => opcode);
    expect(opcodes).toEqual([
      { op: 'Sleep', name: 's', sleepMs: 1500 },
      { op: 'SleepUntil', name: 'u', sleepUntilMs: until.getTime() },
      { op: 'SleepUntil', name: 'v', sleepUntilMs: 12 },
      { op: 'WaitForEvent', name: 'w', eventName: 'paid', eventIf: 'data.id == 1', timeoutMs: 172_800_000 },
      { op: 'WaitForEvent', name: 'forever', eventName: 'paid' },
      { op: 'WaitForEvent', name: 'back', eventName: 'paid', sinceMs: until.getTime() },
      { op: 'WaitForEvent', name: 'far back', eventName: 'paid', sinceMs: 12 },
      {
        op: 'Emit',
        name: 'e',
        eventName: 'hello',
        dedupeId: 'd',
        targetApp: 'other',
        tags: { k: 'v' },
        data: { a: 1 },
      },
      { op: 'StepRun', name: 'k', skipped: true, data: 'not needed' },
    ]);
  });

  it('resolves a wait with its event, and with null when it timed out', async () => {
    const w = workflow(async ({ step }) => {
      const first = await step.waitForEvent<{ n: number }>('one', { event: 'x' });
      const second = await step.waitForEvent('two', { event: 'x', timeout: 5 });
      return [first?.data.n, second];
    });
    const event = { id: 'e9', name: 'x', data: { n: 7 }, ts: '2030-01-01T00:00:00.000Z' };
    expect((await play(w, { wake: [['one', event], 'two'] })).answer.data).toEqual([7, null]);
  });

  it('gives the facts of the run, which can be saved as they are', async () => {
    const w = workflow(async ({ run }) => run);
    const { data } = await pass(w, { ctx: { tags: { a: 'b' }, triggerKind: 'event' } });
    expect(data).toEqual({
      id: 'r1',
      workflow: 'w',
      app: 'default',
      attempt: 1,
      tags: { a: 'b' },
      triggerKind: 'event',
    });
  });

  it('gives the first event and all events of a batch', async () => {
    const w = workflow(async ({ event, events }) => [event.data, events.map((each) => each.data)]);
    const events = [1, 2, 3].map((data) => ({ name: 'n', data }));
    const batched = await pass(w, { event: { name: 'n', data: 1 }, events });
    expect(batched.data).toEqual([1, [1, 2, 3]]);
    expect((await pass(w, { event: { name: 'n', data: 1 } })).data).toEqual([1, [1]]);
  });

  it('runs the onFailure handler with the error of the run', async () => {
    const w = defineWorkflow(
      'default',
      { id: 'w', onFailure: async ({ error, step }) => step.run('tell', () => `${error.name}: ${error.message}`) },
      async () => 'main',
    );
    const answer = await pass(w, { ctx: { onFailure: true, error: { name: 'Boom', message: 'no' } } });
    expect(answer.opcodes).toMatchObject([{ name: 'tell', data: 'Boom: no' }]);
  });

  it('refuses a follow-on run that it has no onFailure handler for', async () => {
    const answer = await pass(
      workflow(async () => 1),
      { ctx: { onFailure: true, error: { message: 'no' } } },
    );
    expect(answer.status).toBe(404);
  });

  it('ends without an answer when it is aborted, and aborts the signals of bodies', async () => {
    const abort = new AbortController();
    const reasons: unknown[] = [];
    const w = workflow(async ({ step, run }) =>
      step.run('long', async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reasons.push(signal.reason, run.signal.reason);
      }),
    );
    const { tryPass } = await import('../support/passes.ts');
    const answer = tryPass(w, { signal: abort.signal });
    setImmediate(() => abort.abort('cancelled'));
    expect(await answer).toBeUndefined();
    await vi.waitFor(() => expect(reasons).toEqual(['cancelled', 'cancelled']));
  });
});

describe('a step that cannot be', () => {
  const smileys = '\u{1f600}'.repeat(256);
  it.each<[string, string, Handler<unknown, unknown>]>([
    ['without a body', 'step "x" needs a body', ({ step }) => Reflect.apply(step.run, step, ['x'])],
    [
      'without a body beside its input',
      'needs a body',
      ({ step }) => Reflect.apply(step.run, step, ['x', { input: 1 }]),
    ],
    ['of an AI without a body', 'step "x" needs a body', ({ step }) => Reflect.apply(step.ai.wrap, step, ['x'])],
    ['without an id', 'a step needs an id', ({ step }) => step.run('', () => 1)],
    ['of too long a name', 'may have 256 characters; this has 257', ({ step }) => step.run(`${smileys}x`, () => 1)],
    ['with U+0000 in its name', 'may hold no U+0000', ({ step }) => step.run('a\0', () => 1)],
    ['with half a character in its name', 'no half of a surrogate pair', ({ step }) => step.sleep('a\ud83d', 1)],
  ])('fails the handler with a clear error: %s', async (_, message, handler) => {
    const { status, error } = await pass(workflow(handler));
    expect([status, error?.name]).toEqual([500, 'TypeError']);
    expect(error?.message).toContain(message);
  });

  it('may have a name of 256 characters, and another use of it may not', async () => {
    const w = workflow(async ({ step }) => [await step.run(smileys, () => 1), await step.run(smileys, () => 2)]);
    const { answer, passes } = await play(w);
    expect(passes[0]).toEqual([smileys]);
    expect(answer).toMatchObject({ status: 500, error: { message: expect.stringContaining('this has 258') } });
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoEntry } from '../../../sdk/src/protocol.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { pass, play, tryPass } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);

const server = createServer((_request, response) => setTimeout(() => response.end('hello'), 40));
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const fetched = async () => (await fetch(url)).text();

/** Work that leaves no trace in the handler, such as a pooled connection opened before. */
const waiters: { at: number; resolve: () => void }[] = [];
const pool = setInterval(() => {
  const due = waiters.filter(({ at }) => at <= performance.now());
  for (const each of due) {
    waiters.splice(waiters.indexOf(each), 1);
    each.resolve();
  }
}, 1);
afterAll(() => clearInterval(pool));
const pooled = (ms: number) => new Promise<void>((resolve) => waiters.push({ at: performance.now() + ms, resolve }));

/** Kinds of asynchronous work between steps that the library does not start itself. */
const plainWork: [string, () => Promise<unknown>][] = [
  ['a timer', () => delay(60)],
  ['a short timer', () => delay(1)],
  ['an immediate', () => immediate()],
  ['a request', fetched],
  ['two requests on one connection', async () => [await fetched(), await fetched()]],
  ['a file', async () => (await import('node:fs/promises')).readFile(import.meta.filename)],
  [
    'a thousand microtasks',
    async () => {
      for (let n = 0; n < 1000; n += 1) await null;
    },
  ],
  ['a quick answer of a pooled connection', () => pooled(8)],
  ['ticks', () => new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)))],
];

describe.each(plainWork)('a handler that waits for %s', (name, work) => {
  // Such work is invisible, so its branch continues in the next pass.
  const leavesNoTrace = name.includes('pooled');

  it('before its first step is waited for', async () => {
    const w = workflow(async ({ step }) => {
      await work();
      return step.run('a', () => 1);
    });
    expect((await play(w)).passes).toEqual([['a'], []]);
  });

  it('between two steps is waited for', async () => {
    const w = workflow(async ({ step }) => {
      await step.run('a', () => 1);
      await work();
      return step.run('b', () => 2);
    });
    expect((await play(w)).passes).toEqual([['a'], ['b'], []]);
  });

  it('before it returns is waited for', async () => {
    const w = workflow(async ({ step }) => {
      await step.run('a', () => 1);
      await work();
      return 'done';
    });
    expect((await play(w)).answer).toMatchObject({ status: 200, data: 'done' });
  });

  if (!leavesNoTrace)
    it('in a branch beside a step that just parked reaches the next step, too', async () => {
      const w = workflow(async ({ step }) =>
        Promise.all([step.waitForEvent('w', { event: 'x' }), work().then(() => step.run('b', () => 2))]),
      );
      expect((await pass(w)).opcodes.map(({ name }) => name)).toContain('b');
    });

  it('in a branch beside a parked step is waited for', async () => {
    const w = workflow(async ({ step }) =>
      Promise.all([step.waitForEvent('w', { event: 'x' }), work().then(() => step.run('b', () => 2))]),
    );
    const answer = await pass(w, { memo: { w: { pending: true } } });
    expect(answer.opcodes.map(({ name }) => name)).toEqual(['b']);
  });
});

it('a slow answer of a pooled connection between two steps is waited for', async () => {
  const w = workflow(async ({ step }) => {
    await step.run('a', () => 1);
    await pooled(150);
    return step.run('b', () => 2);
  });
  expect((await play(w)).passes).toEqual([['a'], ['b'], []]);
});

describe('parallel steps', () => {
  it('all run at once and are reported together, in the order of the code', async () => {
    let running = 0;
    let most = 0;
    const body = async (ms: number) => {
      running += 1;
      most = Math.max(most, running);
      await delay(ms);
      running -= 1;
      return ms;
    };
    const w = workflow(async ({ step }) =>
      Promise.all([30, 5, 15].map((ms) => step.run(`take ${ms}`, () => body(ms)))),
    );
    const { passes, answer } = await play(w);
    expect(passes).toEqual([['take 30', 'take 5', 'take 15'], []]);
    expect(answer.data).toEqual([30, 5, 15]);
    expect(most).toBe(3);
  });

  it('report failed and successful steps alike, and allSettled distinguishes them', async () => {
    const w = workflow(async ({ step }) => {
      const all = await Promise.allSettled([
        step.run('good', () => 1),
        step.run('bad', () => {
          throw new Error('no');
        }),
      ]);
      return all.map(({ status }) => status);
    });
    expect((await play(w)).answer.data).toEqual(['fulfilled', 'rejected']);
  });

  it('may be two hundred', async () => {
    const w = workflow(async ({ step }) =>
      Promise.all(Array.from({ length: 200 }, (_, n) => step.run('many', () => n))),
    );
    const { passes, answer } = await play(w);
    expect(passes.map(({ length }) => length)).toEqual([200, 0]);
    expect(answer.data).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it('may be branches of several steps each', async () => {
    const w = workflow(async ({ step }) => {
      const branch = async (name: string) => [await step.run(`${name}1`, () => 1), await step.run(`${name}2`, () => 2)];
      return Promise.all([branch('a'), branch('b')]);
    });
    expect((await play(w)).passes).toEqual([['a1', 'b1'], ['a2', 'b2'], []]);
  });

  it('go on branch by branch while another sleeps', async () => {
    const w = workflow(async ({ step }) =>
      Promise.all([
        step.sleep('nap', '1h').then(() => step.run('late', () => 1)),
        step.run('a', () => 1).then(() => step.run('b', () => 2)),
      ]),
    );
    expect((await play(w)).passes).toEqual([['nap', 'a'], ['b'], [], ['late'], []]);
  });

  it('found in a long chain of `then` are all found in one pass', async () => {
    const w = workflow(async ({ step }) => {
      let chain: Promise<unknown> = Promise.resolve();
      for (let n = 0; n < 50; n += 1) chain = chain.then(() => null);
      return Promise.all([step.run('a', () => 1), chain.then(() => step.run('b', () => 2))]);
    });
    expect((await play(w)).passes).toEqual([['a', 'b'], []]);
  });
});

describe('a race', () => {
  const racing = workflow(async ({ step }) => {
    const winner = await Promise.race([
      step.waitForEvent('approval', { event: 'approved' }).then(() => 'approved'),
      step.sleep('deadline', '1h').then(() => 'late'),
    ]);
    await step.run(`after ${winner}`, () => null);
    await step.sleep('a while', '1h');
    return winner;
  });

  it('is won in every later pass by the step that was completed first', async () => {
    const event = { name: 'approved', data: {} };
    const late = await play(racing, { wake: ['deadline', ['approval', event], 'a while'] });
    expect(late.answer).toMatchObject({ status: 200, data: 'late' });
    const early = await play(racing, { wake: [['approval', event], 'deadline', 'a while'] });
    expect(early.answer).toMatchObject({ status: 200, data: 'approved' });
  });

  it('is decided by completion even where the winner has a longer chain behind it', async () => {
    const w = workflow(async ({ step }) => {
      const slow = async () => {
        await step.sleep('first', 1);
        for (let n = 0; n < 20; n += 1) await null;
        return 'first';
      };
      const winner = await Promise.race([step.sleep('second', 2).then(() => 'second'), slow()]);
      await step.sleep('later', 3);
      return winner;
    });
    expect((await play(w, { wake: ['first', 'second', 'later'] })).answer.data).toBe('first');
    expect((await play(w, { wake: ['second', 'first', 'later'] })).answer.data).toBe('second');
  });

  it('is decided by completion even where the winner does work of its own first', async () => {
    const w = workflow(async ({ step }) => {
      const slow = async () => {
        await step.sleep('first', 1);
        await delay(30);
        return step.run('its step', () => 'first');
      };
      const winner = await Promise.race([step.sleep('second', 2).then(() => 'second'), slow()]);
      await step.sleep('later', 3);
      return winner;
    });
    expect((await play(w, { wake: ['first', 'second', 'later'] })).answer.data).toBe('first');
  });

  it('does not end the run while a step that lost it is still to be reported', async () => {
    const w = workflow(async ({ step }) => Promise.race([step.run('a', () => 1), Promise.resolve('plain')]));
    const { passes, answer } = await play(w);
    expect(passes).toEqual([['a'], []]);
    expect(answer.data).toBe('plain');
  });
});

describe('steps that the handler does not await', () => {
  it('are run and saved before the run ends, but nothing that would follow on them', async () => {
    const w = workflow(async ({ step }) => {
      void step.run('a', () => 1).then(() => step.run('b', () => 2));
      return 'done';
    });
    const { passes, answer } = await play(w);
    expect(passes).toEqual([['a'], []]);
    expect(answer.data).toBe('done');
  });

  it('do not end the process when they have failed', async () => {
    const w = workflow(async ({ step }) => {
      void step.run('a', () => 1);
      await delay(5);
      return 'done';
    });
    expect(await pass(w, { memo: { a: { error: { message: 'no' } } } })).toMatchObject({ status: 200 });
  });

  it('do not end a pass whose handler is at work of its own', async () => {
    const w = workflow(async ({ step }) => {
      const nap = step.sleep('nap', '1h');
      await delay(50);
      await Promise.all([nap, step.waitForEvent('w', { event: 'x' })]);
    });
    expect((await pass(w)).opcodes.map(({ name }) => name)).toEqual(['nap', 'w']);
  });

  it('are saved before the handler’s own failure counts', async () => {
    const w = workflow(async ({ step }) => {
      void step.run('a', () => 1);
      throw new Error('no');
    });
    expect((await play(w)).passes).toEqual([['a'], []]);
  });
});

describe('a misplaced call in a handler', () => {
  it('a step inside a step fails the outer one for good, and says what to do', async () => {
    const w = workflow(async ({ step }) => step.run('outer', () => step.run('inner', () => 1)));
    const [opcode] = (await pass(w)).opcodes;
    expect(opcode).toMatchObject({
      op: 'StepRun',
      name: 'outer',
      retriable: false,
      error: { name: 'NestedStepError' },
    });
    expect(JSON.stringify(opcode)).toMatch(/step .*inner.* was called inside step .*outer/);
  });

  it('is found inside a step after a wait, too', async () => {
    const w = workflow(async ({ step }) =>
      step.run('outer', async () => {
        await delay(5);
        await step.sleep('inner', 1);
      }),
    );
    expect((await pass(w)).opcodes).toMatchObject([{ name: 'outer', error: { name: 'NestedStepError' } }]);
  });

  it('an id that is empty or too long, a duration or a date that is none, fail the handler', async () => {
    const wrong: Handler<unknown, unknown>[] = [
      ({ step }) => step.run('', () => 1),
      ({ step }) => step.run('x'.repeat(257), () => 1),
      ({ step }) => step.sleep('a', -1),
      ({ step }) => step.sleep('a', Number.NaN),
      ({ step }) => step.sleep('a', '5 apples' as never),
      ({ step }) => step.sleepUntil('a', new Date('nonsense')),
    ];
    for (const handler of wrong) {
      expect(await pass(workflow(handler))).toMatchObject({ status: 500, error: { name: 'TypeError' } });
    }
  });

  it('work that never ends holds the pass until it is aborted', async () => {
    const abort = new AbortController();
    const answer = tryPass(
      workflow(() => new Promise(() => {})),
      { signal: abort.signal },
    );
    await delay(50);
    abort.abort();
    expect(await answer).toBeUndefined();
  });
});

describe('a pass that is over', () => {
  it('starts no step and keeps no line for what goes on behind it', async () => {
    const ran: string[] = [];
    let isThrough = (): void => {};
    const through = new Promise<void>((resolve) => {
      isThrough = resolve;
    });
    const w = workflow(async ({ step, log }) => {
      void delay(30).then(async () => {
        log.info('behind');
        void step.run('behind', () => ran.push('behind'));
        await immediate();
        isThrough();
      });
      await step.run('a', () => ran.push('a'));
    });
    const answer = await pass(w);
    await through;
    expect(answer.opcodes.map(({ name }) => name)).toEqual(['a']);
    expect(answer.logs).toEqual([]);
    expect(ran).toEqual(['a']);
  });

  it('does not wait for a timer that keeps nothing alive, nor for an interval for ever', async () => {
    let interval: NodeJS.Timeout | undefined;
    const w = workflow(async ({ step }) => {
      setTimeout(() => {}, 60_000).unref();
      interval = setInterval(() => {}, 60_000).unref();
      await step.sleep('nap', '1h');
    });
    expect((await pass(w)).opcodes.map(({ name }) => name)).toEqual(['nap']);
    clearInterval(interval);
  });
});

describe('a handler that does something else than before', () => {
  it('is warned of saved steps that it no longer reaches, once per run', async () => {
    const w = workflow(async ({ step }) => step.run('new name', () => 1));
    const { answer } = await play(w, { memo: { 'old name': { data: 1 } } });
    expect(answer).toMatchObject({ status: 200, data: 1 });
    expect(answer.logs).toHaveLength(1);
    expect(answer.logs[0]).toMatchObject({ level: 'warn', scope: '@root' });
    expect(answer.logs[0]?.message).toMatch(/NonDeterminismError: workflow "w" did not reach .*old name/);
    const first = await pass(w, { memo: { 'old name': { data: 1 } } });
    expect(first.logs[0]?.index).toBe(answer.logs[0]?.index);
  });

  it('tells the service how many saved steps it reached, the parked ones included', async () => {
    const w = workflow(async ({ step }) => {
      await Promise.all([step.run('a', () => 1), step.sleep('nap', '1h')]);
    });
    const reached = async (memo: Record<string, MemoEntry>) => (await pass(w, { memo })).reached;
    expect(await reached({})).toBeUndefined();
    expect(await reached({ other: { data: 1 } })).toBe(0);
    expect(await reached({ other: { data: 1 }, nap: { pending: true } })).toBe(1);
    expect(await reached({ a: { data: 1 }, nap: { pending: true } })).toBe(2);
  });

  it('is not warned where a branch simply was not taken, or lost a race', async () => {
    const w = workflow(async ({ step }) =>
      Promise.race([
        step.sleep('t', 1).then(() => 'late'),
        step
          .run('a', () => 1)
          .then(() => step.run('b', () => 2))
          .then(() => step.waitForEvent('w', { event: 'x' })),
      ]),
    );
    const { answer } = await play(w, { wake: ['t'] });
    expect(answer).toMatchObject({ status: 200, data: 'late', logs: [] });
  });

  it('fails clearly where a step became another kind of step', async () => {
    const kinds: Handler<unknown, unknown>[] = [
      ({ step }) => step.sleep('x', 1),
      ({ step }) => step.waitForEvent('x', { event: 'y' }),
      ({ step }) => step.emit('x', { name: 'y' }),
    ];
    for (const handler of kinds) {
      const answer = await pass(workflow(handler), { memo: { x: { data: 'of a step.run' } } });
      expect(answer).toMatchObject({ status: 500, retriable: false, error: { name: 'NonDeterminismError' } });
      expect(answer.error?.message).toContain('step "x"');
    }
  });
});

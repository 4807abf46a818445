import { describe, expect, it } from 'vitest';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);

describe('a handler that has ended', () => {
  it.each<[string, Handler<unknown, unknown>]>([
    ['a race that a sleep loses', ({ step }) => Promise.race([fast(), step.sleep('deadline', '1d')])],
    ['a sleep until then', ({ step }) => Promise.race([fast(), step.sleepUntil('deadline', new Date(2 ** 42))])],
    [
      'a wait that nobody waits for',
      async ({ step }) => {
        void step.waitForEvent('cancelled?', { event: 'never' });
        return 'fast';
      },
    ],
  ])('is over beside %s', async (_, handler) => {
    expect(await pass(workflow(handler))).toMatchObject({ status: 200, data: 'fast', opcodes: [] });
  });

  it('has failed beside a sleep that the handler does not await', async () => {
    const w = workflow(async ({ step }) => Promise.all([step.sleep('x', '1d'), fail('no')]));
    expect(await pass(w)).toMatchObject({ status: 500, error: { message: 'no' } });
  });

  it('has what it did saved first, then is over', async () => {
    const w = workflow(async ({ step }) => {
      void step.sleep('a day', '1d');
      void step.run('work', () => 1);
      return 'end';
    });
    const first = await pass(w);
    expect(first.opcodes.map(({ name }) => name)).toEqual(['work']);
    expect(await pass(w, { memo: { work: { data: 1 } } })).toMatchObject({ status: 200, data: 'end', logs: [] });
  });

  it.each(['returned', 'threw'])(
    'begins no child run and no approval that it did not wait for when it %s, and says so',
    async (how) => {
      const w = workflow(async ({ step }) => {
        void step.runWorkflow('child', { name: 'other' });
        void step.approval('may I?', { tool: 'refund', args: {} });
        if (how === 'threw') throw new Error('no');
        return 'end';
      });
      const { status, opcodes, logs } = await pass(w);
      expect([status, opcodes]).toEqual([how === 'threw' ? 500 : 200, []]);
      expect(logs).toMatchObject([
        { level: 'warn', scope: '@root', message: expect.stringContaining('"child", "may I?"') },
      ]);
    },
  );

  it('has what it did not wait for recorded where that failed, and is asked again at once', async () => {
    const w = workflow(async ({ step }) => {
      void step.sleep('nap', '1d');
      void step.run('work', () => fail('no'));
      return 'end';
    });
    const { opcodes } = await pass(w);
    expect(opcodes.map(({ name }) => name)).toEqual(['work', '@more']);
    const memo = { work: { pending: true as const }, '\0@more': { data: null } };
    expect(await pass(w, { memo })).toMatchObject({ status: 200, data: 'end' });
  });

  it('has a step saved that cannot be reported', async () => {
    const w = workflow(async ({ step }) => {
      void step.emit('send', { name: 'x', data: () => 1 });
      return 'end';
    });
    expect((await pass(w)).opcodes).toMatchObject([
      { op: 'StepRun', name: 'send', retriable: false },
      { name: '@more' },
    ]);
  });
});

describe('more steps at once than an answer can report', () => {
  const ids = Array.from({ length: 2300 }, (_, n) => `s${n}`);

  it('are reported in the order in which they were reached, and each body runs once', async () => {
    const ran: string[] = [];
    const w = workflow(({ step }) => Promise.all(ids.map((id) => step.run(id, () => ran.push(id)))));
    const { answer, passes } = await play(w);
    expect(answer).toMatchObject({ status: 200, logs: [] });
    expect(passes.map((names) => names.length)).toEqual([999, 999, 302, 0]);
    expect(passes.flat()).toEqual(ids);
    expect(ran).toEqual(ids);
  });

  it('are all begun at once where all of them wait', async () => {
    const w = workflow(async ({ step }) => (await Promise.all(ids.map((id) => step.sleep(id, 10)))).length);
    const names = (answer: { opcodes: { name: string }[] }) => answer.opcodes.map(({ name }) => name);
    const asleep = (some: string[]) => Object.fromEntries(some.map((id) => [id, { pending: true as const }]));
    const memo = asleep(ids.slice(0, 999));
    expect(names(await pass(w))).toEqual([...ids.slice(0, 999), '@more']);
    Object.assign(memo, { '\0@more': { data: null } });
    expect(names(await pass(w, { memo }))).toEqual([...ids.slice(999, 1998), '@more:1']);
    Object.assign(memo, asleep(ids.slice(999, 1998)), { '\0@more:1': { data: null } });
    expect(names(await pass(w, { memo }))).toEqual(ids.slice(1998));
    Object.assign(memo, Object.fromEntries(ids.map((id) => [id, { data: null }])));
    expect(await pass(w, { memo })).toMatchObject({ status: 200, data: 2300, logs: [] });
  });

  it('are reached as far as there is something to do, before a handler that did not wait for them is over', async () => {
    const w = workflow(async ({ step }) => {
      for (const id of ids.slice(0, 1500)) void step.sleep(id, '1d');
      void step.run('last', () => 1);
      return 'end';
    });
    const { passes, answer } = await play(w);
    expect(passes.map((names) => names.length)).toEqual([1000, 1, 0]);
    expect(answer).toMatchObject({ status: 200, data: 'end', logs: [] });
  });

  it('begin no child run of a handler that is over, wherever they stand among what it did', async () => {
    const w = workflow(async ({ step }) => {
      for (let n = 0; n < 600; n += 1) {
        void step.runWorkflow('child', { name: 'other' });
        void step.run('work', () => n);
      }
      return 'end';
    });
    const { passes, answer } = await play(w);
    expect(passes.map((names) => names.length)).toEqual([499, 101, 0]);
    expect(passes.flat().every((name) => name.startsWith('work'))).toBe(true);
    expect(answer).toMatchObject({ status: 200, data: 'end' });
  });

  it("differ from a step that has the name of the library's own step between them", async () => {
    const w = workflow(async ({ step }) => [await step.run('@more', () => 1), await step.run('@more', () => 2)]);
    expect((await play(w)).answer).toMatchObject({ status: 200, data: [1, 2] });
  });

  it('are begun at once too where it is their size that parts them', async () => {
    const args = 'x'.repeat(700_000);
    const w = workflow(({ step }) => Promise.all(['a', 'b'].map((id) => step.approval(id, { tool: 't', args }))));
    const [first, second] = (await play(w, { wake: ['a', 'b'].map((id) => [id, { decidedBy: 'me' }]) })).passes;
    expect([first, second]).toEqual([['a', '@more'], ['b']]);
  });
});

describe('a branch that lost a race', () => {
  const loop = (ran: string[]) =>
    workflow(async ({ step }) => {
      const work = async () => {
        for (let turn = 0; ; turn += 1) await step.run('work', () => ran.push(`turn ${turn}`));
      };
      return Promise.race([work(), step.sleep('deadline', '30s').then(() => 'too late')]);
    });
  const settled = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { data: null }]));

  it('is at its next step by then, which is recorded', async () => {
    const ran: string[] = [];
    const answer = await pass(loop(ran), { memo: settled('work', 'deadline') });
    expect(answer).toMatchObject({ status: 206, opcodes: [{ name: 'work:1' }] });
    expect(ran).toEqual(['turn 1']);
  });

  it('goes no further: the run ends with what won', async () => {
    const ran: string[] = [];
    const answer = await pass(loop(ran), { memo: settled('work', 'deadline', 'work:1') });
    expect(answer).toMatchObject({ status: 200, data: 'too late', logs: [] });
    expect(ran).toEqual([]);
  });

  it('goes on while the handler does', async () => {
    const ran: string[] = [];
    const w = workflow(async ({ step }) => {
      const slow = async () => {
        await step.run('slow', () => ran.push('slow'));
        await step.run('slower', () => ran.push('slower'));
      };
      await Promise.race([slow(), step.run('fast', () => ran.push('fast'))]);
      await step.run('report', () => ran.push('report'));
      return 'end';
    });
    const memo = settled('fast', 'slow');
    expect(await pass(w, { memo })).toMatchObject({ opcodes: [{ name: 'report' }, { name: 'slower' }] });
    Object.assign(memo, settled('report', 'slower'));
    expect(await pass(w, { memo })).toMatchObject({ status: 200, data: 'end', logs: [] });
  });
});

const fast = async (): Promise<string> => 'fast';
const fail = async (message: string): Promise<never> => {
  throw new Error(message);
};

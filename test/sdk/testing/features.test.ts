import { describe, expect, it } from 'vitest';
import { eventType, Holdfast, type StepTools, staticSchema } from '../../../sdk/src/index.ts';
import { perAttempt, testRun } from '../../../sdk/src/testing/index.ts';

const hf = new Holdfast({ app: 'shop', apiKey: 'k' });
const order = eventType('order', { schema: staticSchema<{ id: string }>() });
const event = { data: { id: 'o1' } };

describe('child runs', () => {
  const pack = hf.workflow({ id: 'pack', triggers: [order] }, ({ event: { data }, run }) => ({
    packed: data.id,
    tags: run.tags,
  }));
  const ship = hf.workflow({ id: 'ship', triggers: [order], retry: { maxAttempts: 2 } }, ({ event: { data }, step }) =>
    step.runWorkflow('pack it', pack, { data, tags: { by: 'ship' } }),
  );

  it('run for real if their workflow is given, and inherit tags', async () => {
    const t = await testRun(ship, { event, workflows: [pack], tags: { tenant: 'a' } });
    expect(t.result).toEqual({ packed: 'o1', tags: { tenant: 'a', by: 'ship' } });
    expect(t.children.map(({ workflow, parentStep }) => [workflow, parentStep])).toEqual([['pack', 'pack it']]);
  });

  it('may be faked, by attempt, and a failure is a failed attempt of the step', async () => {
    const t = await testRun(ship, {
      ...{
        event,
        children: { pack: perAttempt(new Error('no box'), (data: object) => ({ ...data, packed: 'fake' })) },
      },
    });
    await t.settled();
    expect(t.result).toEqual({ id: 'o1', packed: 'fake' });
    expect(t.children.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('that are neither fail their step, with the remedy', async () => {
    const t = await testRun(ship, { event });
    expect(t.error?.message).toBe(
      'workflow pack is not registered in app shop: give it in `workflows`, or a fake in `children`',
    );
  });
});

describe('model calls', () => {
  const asks = hf.workflow({ id: 'asks', cap: { maxTokens: 100 } }, async ({ step }) => {
    const output = { type: 'object' };
    const { object } = await step.ai.generate<{ urgent: boolean }>('judge', { model: 'm', prompt: 'p', output });
    const { text } = await step.ai.generate('say', { model: 'm', prompt: 'p' });
    const vectors = await step.ai.embed('index', { model: 'e', values: ['a', 'b'] });
    return { object, text, vectors };
  });

  it('get their answers from fakes', async () => {
    const t = await testRun(asks, {
      steps: {
        judge: { urgent: true },
        say: 'hello',
        index: [
          [1, 2],
          [0.5, 0],
        ],
      },
    });
    expect(t.result).toEqual({
      object: { urgent: true },
      text: 'hello',
      vectors: [
        [1, 2],
        [0.5, 0],
      ],
    });
  });

  it('fail without one, and count against the cap', async () => {
    const none = await testRun(asks);
    expect(none.error).toMatchObject({ name: 'InferenceError', message: 'inference is not configured' });
    const dear = { object: { urgent: true }, usage: { tokensIn: 100 } };
    const t = await testRun(asks, { steps: { judge: dear, say: 'hello' } });
    expect(t.error).toMatchObject({ name: 'BudgetError' });
  });

  it('answer an agent, whose tools are steps', async () => {
    const agent = hf.workflow({ id: 'agent' }, async ({ step }) => {
      const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
      const tools = { weather: { description: 'w', inputSchema, execute: () => 'real' } };
      const { text } = await step.ai.agent('ask', { model: 'm', prompt: 'p', tools });
      return text;
    });
    const t = await testRun(agent, {
      steps: {
        'ask/1': { toolCalls: [{ id: 'c1', name: 'weather', input: { city: 'Rome' } }] },
        'ask/1/weather': 'sunny',
        'ask/2': 'It is sunny.',
      },
    });
    expect(t.steps.map(({ name, status }) => `${name}: ${status}`)).toEqual(
      t.steps.map(({ name }) => `${name}: succeeded`),
    );
    expect(t.result).toBe('It is sunny.');
  });
});

describe('a run under test', () => {
  it('starts by hand, by a schedule, or by a batch of events', async () => {
    const starts = hf.workflow(
      { id: 'starts', triggers: [order, { cron: '@daily' }], batch: { maxSize: 2, timeoutMs: 1 } },
      ({ event: { name, data }, events, run }) => ({ name, data, count: events.length, kind: run.triggerKind }),
    );
    expect((await testRun(starts, { input: { id: 'x' } })).result).toMatchObject({ name: 'starts', kind: 'manual' });
    expect((await testRun(starts, { cron: true })).result).toMatchObject({
      ...{ kind: 'cron', data: { cron: '@daily', scheduledAt: '2026-01-01T00:00:00.000Z' } },
    });
    const batch = await testRun(starts, { events: [{ data: { id: 'a' } }, { data: { id: 'b' } }] });
    expect(batch.result).toMatchObject({ name: 'order', count: 2, data: { id: 'a' } });
    await expect(testRun(starts, { event, cron: true })).rejects.toThrow('one of event and cron');
  });

  it('is cancelled by events, and exceeds its time', async () => {
    const waits = hf.workflow(
      {
        id: 'waits',
        triggers: [order],
        maxDuration: '1h',
        cancelOn: [{ event: 'gone', if: 'data.id == run.input.id' }],
      },
      ({ step }) => step.waitForEvent('forever', { event: 'never' }),
    );
    const t = await testRun(waits, { event });
    await t.send({ name: 'gone', data: { id: 'o2' } });
    expect(t.status).toBe('waiting');
    await t.send({ name: 'gone', data: { id: 'o1' } });
    expect(t).toMatchObject({ status: 'cancelled', error: { name: 'CancelledByEventError' } });
    const long = await testRun(waits, { event });
    await long.settled();
    expect(long).toMatchObject({ status: 'failed', error: { name: 'RunTimeoutError' } });
  });

  it('that fails starts its onFailure, and one that varies its ids fails after twenty passes', async () => {
    const broken = hf.workflow(
      {
        id: 'broken',
        triggers: [order],
        onFailure: ({ error, event: { data } }) => `${error.message} ${data.event.data.id}`,
      },
      () => Promise.reject(new Error('no')),
    );
    expect((await testRun(broken, { event })).failureRun?.result).toBe('no o1');
    let pass = 0;
    const stray = hf.workflow({ id: 'stray' }, ({ step }) => {
      pass += 1;
      return step.run(`pass ${pass}`, () => 1);
    });
    expect((await testRun(stray)).error).toMatchObject({ name: 'NonDeterminismError' });
    const many = hf.workflow({ id: 'many' }, async ({ step }) => {
      for (let n = 0; n < 10; n += 1) await step.run('n', () => n);
    });
    expect((await testRun(many, { maxSteps: 5 })).error?.message).toBe(
      'the run has more than 5 steps (MAX_STEPS_PER_RUN)',
    );
  });

  it('ends before one that began later, if both exceed their maxDuration at the same time', async () => {
    const handled: string[] = [];
    const forever = ({ step }: { step: StepTools }) => step.waitForEvent('forever', { event: 'never' });
    const limited = (id: string) => ({
      ...{ id, triggers: [{ event: id }], maxDuration: '1h' as const },
      onFailure: () => void handled.push(id),
    });
    const child = hf.workflow({ id: 'child' }, forever);
    const second = hf.workflow(limited('second'), forever);
    const first = hf.workflow(limited('first'), async ({ step }) => {
      await step.emit('start the second', { name: 'second' });
      await step.runWorkflow('child', child);
    });
    await (await testRun(first, { workflows: [second, child] })).settled();
    expect(handled).toEqual(['first', 'second']);
  });

  it('hears an event that came first, if it looks back', async () => {
    const late = hf.workflow({ id: 'late' }, async ({ step, event: { ts } }) => {
      await step.sleep('rest', '1h');
      return (await step.waitForEvent<{ n: number }>('paid', { event: 'paid', since: ts ?? 0, timeout: '1h' }))?.data.n;
    });
    const t = await testRun(late);
    await t.send({ name: 'paid', data: { n: 1 } });
    await t.send({ name: 'paid', data: { n: 2 } });
    await t.advance('1h');
    expect(t.result).toBe(1);
  });

  it('ends waits that look back before the others, when the event comes with them', async () => {
    const rings = hf.workflow({ id: 'rings' }, async ({ step, event: { ts } }) => {
      const heard = (name: string, since?: string) =>
        step.waitForEvent(name, { event: 'bell', ...(since !== undefined && { since }) }).then(() => name);
      const first = Promise.race([heard('plain'), heard('looks back', ts)]);
      await step.emit('ring', { name: 'bell' });
      return first;
    });
    expect((await testRun(rings)).result).toBe('looks back');
  });

  it('takes calls from within its steps, and refuses ambiguous and impossible ones', async () => {
    const asks = hf.workflow({ id: 'asks twice' }, ({ step }) =>
      Promise.all(['a', 'b'].map((name) => step.approval(name, { tool: 'pay', args: name }))),
    );
    const t = await testRun(asks);
    expect(t.status).toBe('needs_attention');
    await expect(t.decide({ status: 'approved' })).rejects.toThrow('several approvals are open');
    await t.decide({ status: 'approved', step: 'a', args: 'edited', decidedBy: 'ann' });
    await expect(t.decide({ status: 'approved', step: 'a' })).rejects.toThrow('no approval is open in step "a"');
    await expect(t.settled()).rejects.toThrow('rests for ever: it waits for approval of step "b"');
    await t.decide({ status: 'denied' });
    expect(t.result).toMatchObject([{ args: 'edited', decidedBy: 'ann' }, { status: 'denied' }]);
    await expect(t.advanceTo('2020-01-01T00:00:00Z')).rejects.toThrow('time goes on only');

    const held: { send?: () => Promise<unknown> } = {};
    const selfish = hf.workflow({ id: 'selfish' }, async ({ step }) => {
      const [heard] = await Promise.all([
        step.waitForEvent('hear', { event: 'ping' }),
        step.sleep('rest', '1m').then(() => step.run('call', () => held.send?.())),
      ]);
      return heard?.name;
    });
    const s = await testRun(selfish);
    held.send = () => s.send({ name: 'ping' });
    await s.advance('1m');
    expect(s.result).toBe('ping');
  });
});

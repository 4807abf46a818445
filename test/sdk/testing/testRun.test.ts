import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventType, Holdfast, NonRetriableError, RetryAfterError, staticSchema } from '../../../sdk/src/index.ts';
import { perAttempt, testRun } from '../../../sdk/src/testing/index.ts';

const hf = new Holdfast({ app: 'shop', apiKey: 'k' });
const orderPaid = eventType('order.paid', { schema: staticSchema<{ orderId: string; cents: number }>() });

const fulfil = hf.workflow(
  { id: 'fulfil', triggers: [orderPaid], retry: { maxAttempts: 3 } },
  async ({ event, step, log }) => {
    const charge = await step.run('charge card', () => ({ id: `real ${event.data.cents}` }));
    log.info('charged', { charge: charge.id });
    await step.sleep('cool off', '7d');
    const packed = await step.waitForEvent<{ parcel: string }>('packed', {
      event: 'order.packed',
      if: `event.data.orderId == "${event.data.orderId}"`,
      timeout: '1d',
    });
    return { charge: charge.id, parcel: packed?.data.parcel ?? null };
  },
);
const event = { data: { orderId: 'o1', cents: 5 } };

describe('testRun', () => {
  it('runs a workflow in virtual time, with fakes, events and a typed result', async () => {
    const t = await testRun(fulfil, { event, steps: { 'charge card': { id: 'ch_1' } } });
    expect(t.status).toBe('waiting');
    expect(t.waitingFor).toEqual({ kind: 'sleep', step: 'cool off', until: '2026-01-08T00:00:00.000Z' });
    await t.advance('7d');
    expect(t.waitingFor).toMatchObject({ kind: 'event', step: 'packed' });
    expect(await t.send({ name: 'order.packed', data: { orderId: 'o2', parcel: 'p2' } })).toMatchObject({ woke: 0 });
    await t.send({ name: 'order.packed', data: { orderId: 'o1', parcel: 'p1' } });
    expect(t.status).toBe('succeeded');
    expect(t.result).toEqual({ charge: 'ch_1', parcel: 'p1' });
    expect(t.logs).toMatchObject([{ level: 'info', message: 'charged', fields: { charge: 'ch_1' }, scope: '@root' }]);
    expect(t.steps.map(({ name, index, attempt, status }) => [name, index, attempt, status])).toEqual([
      ['charge card', 0, 1, 'succeeded'],
      ['cool off', 1, 1, 'succeeded'],
      ['packed', 2, 1, 'succeeded'],
    ]);
    expect(t.now.toISOString()).toBe('2026-01-08T00:00:00.000Z');
  });

  it('times out a wait, and a result that is not there says why', async () => {
    const t = await testRun(fulfil, { event });
    expect(() => t.result).toThrow('run of "fulfil" is waiting; it waits for sleep of step "cool off"');
    await t.settled();
    expect(t.result).toEqual({ charge: 'real 5', parcel: null });
    expect(t.now.toISOString()).toBe('2026-01-09T00:00:00.000Z');
  });

  it('retries a step by the policy, after the delays that the service takes', async () => {
    const t = await testRun(fulfil, {
      event,
      steps: {
        'charge card': perAttempt(
          new Error('down'),
          new RetryAfterError('busy', '1m'),
          ({ attempt }: { attempt: number }) => ({ id: `try ${attempt}` }),
        ),
      },
    });
    expect(t.waitingFor).toMatchObject({ kind: 'retry', step: 'charge card', until: '2026-01-01T00:00:01.000Z' });
    await t.advance('1s');
    expect(t.waitingFor).toMatchObject({ until: '2026-01-01T00:01:01.000Z', error: { message: 'busy' } });
    await t.advance('1m');
    expect(t.step('charge card')).toMatchObject({ attempt: 3, output: { id: 'try 3' } });
    expect(t.steps.map(({ status, attempt }) => [status, attempt]).slice(0, 3)).toEqual([
      ['failed', 1],
      ['failed', 2],
      ['succeeded', 3],
    ]);
  });

  it('ends a run with the error of a step that has no further attempt', async () => {
    const spent = await testRun(fulfil, { event, steps: { 'charge card': new Error('declined') } });
    await spent.advance('1h');
    expect(spent).toMatchObject({ status: 'failed', error: { name: 'Error', message: 'declined' }, attempt: 1 });
    expect(() => spent.result).toThrow('run of "fulfil" is failed: Error: declined');
    const fatal = await testRun(fulfil, { event, steps: { 'charge card': new NonRetriableError('declined') } });
    expect(fatal).toMatchObject({ status: 'failed', error: { name: 'NonRetriableError' } });
  });

  it('refuses options, starts and events that mean nothing', async () => {
    await expect(testRun(fulfil, { evnt: 1 } as object)).rejects.toThrow('perhaps "event" is meant');
    await expect(testRun(fulfil, { event: { ...event, name: 'other' } })).rejects.toThrow(
      'event "other" does not start workflow "fulfil": none of its triggers names it',
    );
    const checked = hf.workflow(
      { id: 'checked', triggers: [eventType('n', { schema: z.object({ n: z.number() }) })] },
      ({ event }) => event.data.n,
    );
    const t = await testRun(checked, { event: { data: { n: 'x' } } } as never);
    expect(t).toMatchObject({ status: 'failed', error: { name: 'EventSchemaError' } });
    expect((await testRun(checked, { input: { n: 1 } })).result).toBe(1);
  });
});

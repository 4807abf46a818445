import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EventSchemaError, eventType, Holdfast, staticSchema } from '../../../sdk/src/index.ts';
import type { WireEvent } from '../../../sdk/src/protocol.ts';
import { defineWorkflow } from '../../../sdk/src/workflow.ts';
import { pass } from '../support/passes.ts';

const hf = new Holdfast({ baseUrl: 'http://127.0.0.1:9', apiKey: 'hf_sk_x' });
const item = { sku: 'a', cents: 1 };
const schemas = {
  zod: z.object({ items: z.array(z.object({ sku: z.string(), cents: z.number() })) }),
  valibot: v.object({ items: v.array(v.object({ sku: v.string(), cents: v.number() })) }),
  arktype: type({ items: type({ sku: 'string', cents: 'number' }).array() }),
};
const event = (name: string, data: unknown): WireEvent => ({ id: 'e1', name, data });
const misfit = { items: [item, { sku: 'b', cents: '1' }] };

describe.each(Object.entries(schemas))('an event type with a schema of %s', (_library, schema) => {
  const ordered = eventType('ordered', { schema });
  const workflow = defineWorkflow(
    'shop',
    { id: 'fulfil', triggers: [ordered] },
    ({ event }) => event.data.items.length,
  );

  it('passes on an event that fits', async () => {
    expect(await pass(workflow, { event: event('ordered', { items: [item] }) })).toMatchObject({
      status: 200,
      data: 1,
    });
  });

  it('fails a run whose event does not fit, at once, and names the path', async () => {
    const answer = await pass(workflow, { event: event('ordered', misfit) });
    expect(answer).toMatchObject({ status: 500, retriable: false, error: { name: 'EventSchemaError' } });
    expect(answer.error?.message).toMatch(
      /^event "ordered" does not fit its schema: data\.items\[1\]\.cents: .*number/,
    );
    expect(answer.opcodes).toEqual([]);
  });

  it('refuses to send data that does not fit', async () => {
    // Data from elsewhere, of which the compiler knows nothing.
    const data = JSON.parse(JSON.stringify(misfit));
    const refused = await hf.events.send({ name: ordered, data }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EventSchemaError);
    expect(refused).toMatchObject({ event: 'ordered', issues: [{ path: 'data.items[1].cents' }] });
    const started = await hf.workflows.trigger(workflow, { input: data }).catch((error: unknown) => error);
    expect(started).toMatchObject({ event: 'fulfil', issues: [{ path: 'input.items[1].cents' }] });
  });

  it('refuses to emit such data, and to start such a child', async () => {
    const data = JSON.parse(JSON.stringify(misfit));
    const emitting = defineWorkflow('shop', { id: 'w' }, ({ step }) => step.emit('tell', { name: ordered, data }));
    expect((await pass(emitting)).opcodes).toMatchObject([
      { op: 'StepRun', name: 'tell', retriable: false, error: { name: 'EventSchemaError' } },
    ]);
    const calling = defineWorkflow('shop', { id: 'w' }, ({ step }) => step.runWorkflow('call', workflow, { data }));
    expect((await pass(calling)).opcodes).toMatchObject([
      { op: 'StepRun', name: 'call', retriable: false, error: { name: 'EventSchemaError' } },
    ]);
  });

  it('fails a wait that an event ended whose data does not fit', async () => {
    const waiting = defineWorkflow('shop', { id: 'w' }, ({ step }) => step.waitForEvent('wait', { event: ordered }));
    const memo = (data: unknown) => ({ wait: { data: event('ordered', data) } });
    expect(await pass(waiting, { memo: memo({ items: [item] }) })).toMatchObject({ status: 200 });
    const answer = await pass(waiting, { memo: memo(misfit) });
    expect(answer).toMatchObject({ status: 500, retriable: false, error: { name: 'EventSchemaError' } });
  });
});

describe('the schema of an event type', () => {
  const at = eventType('at', { schema: z.object({ at: z.coerce.date(), n: z.number().default(7) }) });

  it('gives the handler what comes out of it, in every pass', async () => {
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [at] }, async ({ event, events, step }) => {
      await step.sleep('a', 1);
      return [event.data.at.getTime(), event.data.n, events[0] === event];
    });
    const input = { event: event('at', { at: '1970-01-01T00:00:01Z' }), memo: { a: { data: null } } };
    expect(await pass(workflow, input)).toMatchObject({ status: 200, data: [1000, 7, true] });
    const waiting = defineWorkflow('shop', { id: 'w' }, async ({ step }) => {
      const found = await step.waitForEvent('wait', { event: at });
      return found?.data.at.getTime();
    });
    const memo = { wait: { data: event('at', { at: '1970-01-01T00:00:02Z' }) } };
    expect(await pass(waiting, { memo })).toMatchObject({ data: 2000 });
  });

  it('does not change what is emitted', async () => {
    const workflow = defineWorkflow('shop', { id: 'w' }, ({ step }) =>
      step.emit('tell', { name: at, data: { at: '1970-01-01' } }),
    );
    expect((await pass(workflow)).opcodes).toMatchObject([{ op: 'Emit', data: { at: '1970-01-01' } }]);
  });

  it('is that of the trigger whose event came, with or without a guard, or by a wildcard', async () => {
    const a = eventType('a', { schema: z.object({ a: z.number() }) });
    const all = eventType('b.*', { schema: z.object({ b: z.number() }) });
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [{ event: a, if: 'true' }, all] }, () => 'done');
    expect(await pass(workflow, { event: event('a', { a: 1 }) })).toMatchObject({ data: 'done' });
    expect(await pass(workflow, { event: event('b.c', { b: 1 }) })).toMatchObject({ data: 'done' });
    expect((await pass(workflow, { event: event('b.c', { a: 1 }) })).error?.message).toContain('event "b.c"');
    expect((await pass(workflow, { event: event('a', { b: 1 }) })).error?.message).toContain('data.a: ');
  });

  it('must be one of several that fits, if the run was started by hand or as a child', async () => {
    const a = eventType('a', { schema: z.object({ a: z.number() }) });
    const b = eventType('b', { schema: z.object({ b: z.number() }) });
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [a, b] }, () => 'done');
    expect(await pass(workflow, { event: event('w', { b: 1 }) })).toMatchObject({ data: 'done' });
    expect((await pass(workflow, { event: event('w', {}) })).error?.name).toBe('EventSchemaError');
    await expect(hf.workflows.trigger(workflow, { input: JSON.parse('{}') })).rejects.toThrow('input.a: ');
  });

  it('checks nothing by hand if another trigger has none', async () => {
    const a = eventType('a', { schema: z.object({ a: z.number() }) });
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [a, { event: 'free' }] }, () => 'done');
    for (const name of ['w', 'free'])
      expect(await pass(workflow, { event: event(name, 1) })).toMatchObject({ data: 'done' });
    expect((await pass(workflow, { event: event('a', 1) })).error?.name).toBe('EventSchemaError');
  });

  it('does not check what a schedule brings', async () => {
    const a = eventType('a', { schema: z.object({ a: z.number() }) });
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [a, { cron: '@daily' }] }, () => 'done');
    const input = { event: event('w', { cron: '@daily' }), ctx: { triggerKind: 'cron' as const } };
    expect(await pass(workflow, input)).toMatchObject({ data: 'done' });
  });

  it('checks each event of a batch, and names the one that does not fit', async () => {
    const a = eventType('a', { schema: z.object({ a: z.number() }) });
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [a] }, ({ events }) => events.length);
    const events = [event('a', { a: 1 }), event('a', { a: 2 })];
    expect(await pass(workflow, { event: events[0], events })).toMatchObject({ data: 2 });
    const bad = [...events, event('a', { a: 'x' })];
    expect((await pass(workflow, { event: bad[0], events: bad })).error?.message).toContain('events[2].data.a: ');
  });

  it('does not keep a failure handler from its work', async () => {
    const a = eventType('a', { schema: z.object({ at: z.coerce.date() }) });
    const workflow = defineWorkflow(
      'shop',
      { id: 'w', triggers: [a], onFailure: ({ event, step }) => step.run('tell', () => event.data.event.data) },
      () => null,
    );
    const failure = (data: unknown) => ({
      event: event('workflow.failed', { runId: 'r', app: 'shop', workflow: 'w', error: {}, event: event('a', data) }),
      ctx: { onFailure: true, error: { message: 'no' } },
    });
    const fits = await pass(workflow, failure({ at: '1970-01-01' }));
    expect(fits.opcodes).toMatchObject([{ name: 'tell', data: { at: '1970-01-01T00:00:00.000Z' } }]);
    const misfits = await pass(workflow, failure({ at: 'never' }));
    expect(misfits.opcodes).toMatchObject([{ name: 'tell', data: { at: 'never' } }]);
  });

  it('must answer at once', async () => {
    const a = eventType('a', { schema: z.object({ a: z.number().refine(async () => true) }) });
    const message = 'the schema of event "a" checks asynchronously';
    await expect(hf.events.send({ name: a, data: { a: 1 } })).rejects.toThrow(message);
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [a] }, () => 'done');
    const answer = await pass(workflow, { event: event('a', { a: 1 }) });
    expect(answer).toMatchObject({ status: 500, retriable: false, error: { name: 'TypeError' } });
    expect(answer.error?.message).toContain(message);
  });

  it('may be only for the compiler', async () => {
    const a = eventType('a', { schema: staticSchema<{ a: number }>() });
    const workflow = defineWorkflow('shop', { id: 'w', triggers: [a] }, ({ event }) => event.data.a);
    expect(await pass(workflow, { event: event('a', { a: 'x' }) })).toMatchObject({ data: 'x' });
  });

  it('is explained by its first five misfits', () => {
    const issues = Array.from({ length: 7 }, (_, n) => ({ path: `data[${n}]`, message: 'no' }));
    expect(new EventSchemaError('a', issues).message).toBe(
      'event "a" does not fit its schema: data[0]: no; data[1]: no; data[2]: no; data[3]: no; data[4]: no; and 2 more',
    );
  });
});

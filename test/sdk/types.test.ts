import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type EventType,
  eventType,
  type FinishedRun,
  Holdfast,
  type Jsonify,
  type ReceivedEvent,
  type RunId,
  type RunStatus,
  staticSchema,
  type Workflow,
} from '../../sdk/src/index.ts';
import {
  type VerificationFailure,
  verifyWebhook,
  type WebhookVerificationError,
} from '../../sdk/src/webhooks/index.ts';

const hf = new Holdfast({ apiKey: 'k' });
const orderPaid = eventType<{ orderId: string; cents: number }>('order.paid');
const orderSent = eventType<{ parcel: string }>('order.sent');
// Only compiled, never called.
const typesOnly = (_check: () => unknown): void => {};

describe('types', () => {
  it('go from the event to the handler and on to the result', () => {
    const typed = hf.workflow({ id: 'typed', triggers: [orderPaid] }, async ({ event, events }) => {
      expectTypeOf(event.data).toEqualTypeOf<{ orderId: string; cents: number }>();
      expectTypeOf(events).toEqualTypeOf<readonly ReceivedEvent<{ orderId: string; cents: number }>[]>();
      return { at: new Date(), total: event.data.cents, note: undefined as string | undefined };
    });
    expectTypeOf(typed).toEqualTypeOf<
      Workflow<{ orderId: string; cents: number }, { at: string; total: number; note?: string }>
    >();
  });

  it('are unknown for an empty list of triggers, as for none', () => {
    const bare = hf.workflow({ id: 'bare', triggers: [] }, ({ event }) => {
      expectTypeOf(event.name).toEqualTypeOf<'bare'>();
      expectTypeOf(event.data).toBeUnknown();
    });
    expectTypeOf(bare).toEqualTypeOf<Workflow<unknown, null>>();
  });

  it('are a union over several triggers, and unknown where one does not say', () => {
    hf.workflow({ id: 'either', triggers: [orderPaid, { event: orderSent, if: 'true' }] }, async ({ event }) => {
      expectTypeOf(event.data).toEqualTypeOf<{ orderId: string; cents: number } | { parcel: string }>();
    });
    hf.workflow({ id: 'some', triggers: [orderPaid, { cron: '* * * * *' }] }, ({ event }) => {
      expectTypeOf(event.data).toBeUnknown();
    });
    hf.workflow({ id: 'none' }, ({ event }) => {
      expectTypeOf(event.data).toBeUnknown();
    });
  });

  it('of an event follow from its name, where the compiler knows the names', () => {
    const paid = eventType('paid', { schema: staticSchema<{ cents: number }>() });
    const sent = eventType('sent', { schema: z.object({ parcel: z.string() }) });
    const trackedAll = eventType('tracked.*', { schema: staticSchema<{ at: string }>() });
    const triggers = [paid, { event: sent, if: 'true' }, trackedAll] as const;
    hf.workflow({ id: 'by name', triggers }, ({ event, events }) => {
      expectTypeOf(event.name).toEqualTypeOf<'paid' | 'sent' | `tracked.${string}` | 'by name'>();
      if (event.name === 'paid') expectTypeOf(event.data).toEqualTypeOf<{ cents: number }>();
      if (event.name === 'sent') expectTypeOf(event.data).toEqualTypeOf<{ parcel: string }>();
      if (event.name === 'tracked.seen') expectTypeOf(event.data).toEqualTypeOf<{ at: string }>();
      // By hand, as a child: with the data of any of them.
      if (event.name === 'by name')
        expectTypeOf(event.data).toEqualTypeOf<{ cents: number } | { parcel: string } | { at: string }>();
      // @ts-expect-error no trigger has this name
      if (event.name === 'payed') event.data;
      for (const each of events) if (each.name === 'paid') expectTypeOf(each.data.cents).toBeNumber();
      // @ts-expect-error the other events have none
      event.data.cents;
    });
    const given = eventType<{ cents: number }, 'given'>('given');
    hf.workflow({ id: 'mixed', triggers: [given, { event: 'free' }, { cron: '@daily' }] }, ({ event }) => {
      if (event.name === 'given') expectTypeOf(event.data).toEqualTypeOf<{ cents: number }>();
      if (event.name === 'free') expectTypeOf(event.data).toBeUnknown();
      if (event.name === 'mixed') expectTypeOf(event.data).toBeUnknown();
    });
    hf.workflow(
      {
        id: 'failing by name',
        triggers: [paid, sent],
        onFailure: ({ event }) => {
          const { event: start } = event.data;
          if (start.name === 'paid') expectTypeOf(start.data).toEqualTypeOf<{ cents: number }>();
        },
      },
      () => null,
    );
  });

  it('of an event are those of its schema: what goes in is sent, what comes out is received', () => {
    const zod = eventType('zod', { schema: z.object({ at: z.string().transform(Number), n: z.number().default(1) }) });
    const valibot = eventType('valibot', { schema: v.object({ at: v.pipe(v.string(), v.transform(Number)) }) });
    const ark = eventType('ark', { schema: type({ at: 'string.numeric.parse' }) });
    expectTypeOf(zod).toEqualTypeOf<EventType<{ at: number; n: number }, 'zod', { at: string; n?: number }>>();
    expectTypeOf(valibot).toEqualTypeOf<EventType<{ at: number }, 'valibot', { at: string }>>();
    expectTypeOf(ark).toEqualTypeOf<EventType<{ at: number }, 'ark', { at: string }>>();
    const typed = hf.workflow({ id: 'schemas', triggers: [zod] }, async ({ event, step }) => {
      expectTypeOf(event.data).toEqualTypeOf<{ at: number; n: number }>();
      const waited = await step.waitForEvent('a', { event: ark });
      expectTypeOf(waited?.data).toEqualTypeOf<{ at: number } | undefined>();
      await step.emit('b', { name: zod, data: { at: '1' } });
      // @ts-expect-error what a handler receives is not what is sent
      await step.emit('c', { name: zod, data: { at: 1 } });
    });
    expectTypeOf(typed).toEqualTypeOf<Workflow<{ at: string; n?: number | undefined }, null>>();
    typesOnly(async () => {
      await hf.events.send({ name: valibot, data: { at: '1' } });
      // @ts-expect-error what a handler receives is not what is sent
      await hf.events.send({ name: valibot, data: { at: 1 } });
      await hf.workflows.trigger(typed, { input: { at: '1' } });
      // @ts-expect-error what a handler receives is not what is sent
      await hf.workflows.trigger(typed, { input: { at: 1, n: 1 } });
      // @ts-expect-error no schema
      eventType('none', { schema: { type: 'object' } });
      // @ts-expect-error no such option
      eventType('none', { schema: z.string(), shema: 1 });
    });
  });

  it('refuse misspelt fields of triggers, policies, retries and options', () => {
    typesOnly(() => [
      // @ts-expect-error no such guard
      hf.workflow({ id: 'a', triggers: [{ event: 'a', iff: 'true' }] }, () => null),
      // @ts-expect-error no such guard
      hf.workflow({ id: 'b', triggers: [{ event: orderPaid, match: 'data.id' }] }, () => null),
      // @ts-expect-error schedules have no guard
      hf.workflow({ id: 'c', triggers: [{ cron: '@daily', if: 'true' }] }, () => null),
      // @ts-expect-error one of the two
      hf.workflow({ id: 'd', triggers: [{ cron: '@daily', event: 'a' }] }, () => null),
      // @ts-expect-error no such field
      hf.workflow({ id: 'e', triggers: [{ evnt: 'a' }] }, () => null),
      // @ts-expect-error an event type has no guard of its own
      hf.workflow({ id: 'f', triggers: [{ name: 'a', if: 'true' }] }, () => null),
      // @ts-expect-error no such option
      hf.workflow({ id: 'g', retries: 3 }, () => null),
      // @ts-expect-error no such field
      hf.workflow({ id: 'h', retry: { attempts: 3 } }, () => null),
      // @ts-expect-error no such field
      hf.workflow({ id: 'i', concurrency: { limit: 1, match: 'a' } }, () => null),
      // @ts-expect-error no such field
      hf.workflow({ id: 'j', cancelOn: [{ event: 'a', iff: 'true' }] }, () => null),
      // @ts-expect-error no such option
      hf.events.send({ name: 'a', dedupId: '1' }),
      // @ts-expect-error no such option
      hf.workflows.trigger({ name: 'a' }, { inputs: 1 }),
      // @ts-expect-error no such option
      new Holdfast({ baseURL: 'http://x' }),
    ]);
    hf.workflow({ id: 'steps with typos' }, async ({ step }) => {
      // @ts-expect-error no such option
      await step.run('a', { retries: 3 }, () => 1);
      // @ts-expect-error no such option
      await step.waitForEvent('b', { event: 'a', iff: 'true' });
      // @ts-expect-error no such option
      await step.waitForEvent('c', { event: orderPaid, match: 'data.id' });
      // @ts-expect-error no such option
      await step.emit('d', { name: 'a', dedupId: '1' });
    });
  });

  it('reach the failure handler', () => {
    hf.workflow(
      {
        id: 'failing',
        triggers: [orderPaid],
        onFailure: async ({ event, error }) => {
          expectTypeOf(event.data.runId).toBeString();
          expectTypeOf(event.data.event.data).toEqualTypeOf<{ orderId: string; cents: number }>();
          expectTypeOf(error).toEqualTypeOf<Error>();
        },
      },
      async () => null,
    );
  });

  it('of an AI step are those of its body, and of what it may report', () => {
    hf.workflow({ id: 'ai', cap: { maxTokens: 1 } }, async ({ step, run }) => {
      expectTypeOf(await step.ai.wrap('a', async () => new Date())).toBeString();
      const answer = await step.ai.wrap('b', { input: { n: 1 } }, ({ n }, { report, attempt }) => {
        report({ model: 'm', tokensIn: n, cost: 0.1 });
        // @ts-expect-error counts are numbers
        report({ tokensIn: '1' });
        return { n, attempt };
      });
      expectTypeOf(answer).toEqualTypeOf<{ n: number; attempt: number }>();
      expectTypeOf(run.ai?.maxTokens).toEqualTypeOf<number | undefined>();
    });
  });

  it('of a model call are those of its output', () => {
    hf.workflow({ id: 'generate' }, async ({ step }) => {
      const text = await step.ai.generate('a', { model: 'm', prompt: 'x' });
      expectTypeOf(text.text).toEqualTypeOf<string | undefined>();
      expectTypeOf(text.object).toEqualTypeOf<undefined>();
      expectTypeOf(text.usage.cachedTokensIn).toEqualTypeOf<number | undefined>();

      const output = z.object({ urgent: z.boolean(), note: z.string().default('none'), at: z.iso.date().optional() });
      const typed = await step.ai.generate('b', { messages: [{ role: 'user', content: 'x' }], output });
      expectTypeOf(typed.object).toEqualTypeOf<z.input<typeof output> | undefined>();

      const schema = { type: 'object', properties: { urgent: { type: 'boolean' } } } as const;
      const declared = await step.ai.generate<{ urgent: boolean }>('c', { model: 'm', prompt: 'x', output: schema });
      expectTypeOf(declared.object).toEqualTypeOf<{ urgent: boolean } | undefined>();
      const unknown = await step.ai.generate('d', { model: 'm', prompt: 'x', output: schema });
      expectTypeOf(unknown.object).toBeUnknown();

      // The assistant's message goes back as it came.
      await step.ai.generate('e', { model: 'm', messages: [{ role: 'assistant', content: text.content }] });
      expectTypeOf(await step.ai.embed('f', { model: 'm', values: ['x'] })).toEqualTypeOf<number[][]>();

      typesOnly(() => [
        // @ts-expect-error a schema without a JSON Schema of its own
        step.ai.generate('g', { model: 'm', prompt: 'x', output: { '~standard': { version: 1, validate: () => 1 } } }),
        // @ts-expect-error a role that no message has
        step.ai.generate('h', { model: 'm', messages: [{ role: 'bot', content: 'x' }] }),
        // @ts-expect-error a part that no message has
        step.ai.generate('i', { model: 'm', messages: [{ role: 'user', content: [{ type: 'sound' }] }] }),
        // @ts-expect-error an image needs its bytes or its address
        step.ai.generate('j', { model: 'm', messages: [{ role: 'user', content: [{ type: 'image' }] }] }),
        // @ts-expect-error vectors of what
        step.ai.embed('k', { model: 'm' }),
        // @ts-expect-error prices are numbers
        new Holdfast({ ai: { prices: { m: { input: '3', output: 15 } } } }),
      ]);
    });
  });

  it('of a step are what its body returns, as JSON', () => {
    hf.workflow({ id: 'steps', triggers: [orderPaid] }, async ({ step }) => {
      expectTypeOf(await step.run('a', () => 1)).toBeNumber();
      expectTypeOf(await step.run('b', async () => new Date())).toBeString();
      expectTypeOf(await step.run('c', () => {})).toBeNull();
      expectTypeOf(await step.run('d', () => [new Date(), 1] as const)).toEqualTypeOf<readonly [string, 1]>();
      expectTypeOf(await step.run('e', { input: { a: 1 } }, ({ a }) => String(a))).toBeString();
      expectTypeOf(await step.run('f', () => 1n)).toBeNever();
      const response = await step.run('fetch', () => fetch('http://x'));
      // @ts-expect-error a response is nothing that can be saved
      void (() => response.ok);
      expectTypeOf(await step.sleep('g', '5s')).toBeVoid();
      expectTypeOf(await step.waitForEvent('h', { event: orderSent })).toEqualTypeOf<ReceivedEvent<{
        parcel: string;
      }> | null>();
      expectTypeOf(await step.emit('i', { name: orderSent, data: { parcel: 'p' } })).toEqualTypeOf<{
        eventId: string;
        runIds: string[];
      }>();
      // @ts-expect-error the data is not that event's
      await step.emit('j', { name: orderSent, data: { parcel: 1 } });
      // @ts-expect-error no such unit
      await step.sleep('k', '5 fortnights');
    });
  });

  it('of a child are those of the workflow that is called', () => {
    const child = hf.workflow({ id: 'child', triggers: [orderPaid] }, async () => ({ parcel: new Date() }));
    const free = hf.workflow({ id: 'free child' }, () => {});
    hf.workflow({ id: 'parent' }, async ({ step }) => {
      const data = { orderId: 'o', cents: 1 };
      expectTypeOf(await step.runWorkflow('a', child, { data, runner: 'r' })).toEqualTypeOf<{ parcel: string }>();
      expectTypeOf(await step.runWorkflow('b', free)).toBeNull();
      expectTypeOf(await step.runWorkflow('c', free, { data: [1], tags: { a: 'b' } })).toBeNull();
      expectTypeOf(await step.runWorkflow('d', { name: 'any' }, { data: 1 })).toBeUnknown();
      expectTypeOf(await step.runWorkflow('e', { app: 'other', name: 'any' })).toBeUnknown();
      // @ts-expect-error not what it takes
      await step.runWorkflow('f', child, { data: { orderId: 1 } });
      // @ts-expect-error it takes something
      await step.runWorkflow('g', child);
    });
  });

  it('of an approval are those of the arguments, and a score needs a name and a value', () => {
    hf.workflow({ id: 'asking' }, async ({ step }) => {
      const decision = await step.approval('ok?', {
        tool: 'refund',
        args: { cents: 1, on: new Date() },
        timeout: '1d',
      });
      expectTypeOf(decision.status).toEqualTypeOf<'approved' | 'denied'>();
      expectTypeOf(decision.args).toEqualTypeOf<{ cents: number; on: string }>();
      expectTypeOf(decision.editedArgs).toEqualTypeOf<{ cents: number; on: string } | undefined>();
      const bare = await step.approval('go on?', { tool: 'deploy', summary: 'all of it' });
      expectTypeOf(bare.status).toEqualTypeOf<'approved' | 'denied'>();
      expectTypeOf(bare.args).toBeUnknown();
      const perhaps = await step.approval('ok?', { tool: 'refund', args: undefined as Date | undefined });
      expectTypeOf(perhaps.args).toEqualTypeOf<string | null>();
      // @ts-expect-error the action is what has to be there
      await step.approval('ok?', { args: 1 });
      // @ts-expect-error no such thing to do
      await step.approval('ok?', { tool: 'refund', args: 1, onTimeout: 'retry' });
      expectTypeOf(await step.score('good', { name: 'quality', value: 0.9, model: 'm' })).toEqualTypeOf<{
        scoreId: string;
      }>();
      // @ts-expect-error without a value
      await step.score('bad', { name: 'quality' });
      expectTypeOf(await step.webhook('tell', { url: 'https://a.example', data: [1] })).toEqualTypeOf<{
        deliveryId: string;
      }>();
      await step.webhook('bare', { url: new URL('https://a.example') });
      // @ts-expect-error without an address
      await step.webhook('bad', { data: 1 });
    });
  });

  it('of a triggered workflow go on to its finished run', () => {
    const typed = hf.workflow({ id: 'traced', triggers: [orderPaid] }, async () => ({ ok: true }));
    typesOnly(async () => {
      const started = await hf.workflows.trigger(typed, { input: { orderId: 'o', cents: 1 } });
      const { runId } = started;
      expectTypeOf(runId).toEqualTypeOf<RunId<{ ok: boolean }> | undefined>();
      if (runId === undefined) return;
      expectTypeOf(await hf.runs.wait(runId)).toEqualTypeOf<FinishedRun<{ ok: boolean }>>();
      expectTypeOf(await hf.runs.wait(started)).toEqualTypeOf<FinishedRun<{ ok: boolean }>>();
      expectTypeOf((await hf.runs.get('an id')).result).toBeUnknown();
      // @ts-expect-error not the workflow's input
      await hf.workflows.trigger(typed, { input: { orderId: 1 } });
      await hf.workflows.trigger({ app: 'other', name: 'any' }, { input: 'anything' });
      // @ts-expect-error it takes something
      await hf.workflows.trigger(typed);
      // @ts-expect-error it takes something
      await hf.workflows.trigger(typed, {});
      expectTypeOf((await hf.workflows.trigger({ name: 'any' })).runId).toEqualTypeOf<RunId<unknown> | undefined>();
      // @ts-expect-error not the event's data
      await hf.events.send({ name: orderPaid, data: { orderId: 'o' } });
      await hf.events.send({ name: 'free', data: [1, 2] });
      await hf.events.send([
        { name: orderPaid, data: { orderId: 'o', cents: 1 } },
        { name: orderSent, data: { parcel: 'p' } },
        { name: 'free', data: 1 },
        { name: 'bare' },
      ]);
      await hf.events.send([{ name: orderPaid, data: { orderId: 'o', cents: 1 } }].map((each) => each));
      // @ts-expect-error not the data of the second event
      await hf.events.send([{ name: 'free' }, { name: orderPaid, data: { parcel: 'p' } }]);
      // @ts-expect-error no such option
      await hf.events.send([{ name: 'free', dedupId: '1' }]);
      const input = { orderId: 'o', cents: 1 };
      const waited = await hf.workflows.triggerAndWait(typed, { input, timeoutMs: 1 });
      expectTypeOf(waited).toEqualTypeOf<FinishedRun<{ ok: boolean }>>();
      // @ts-expect-error it takes something
      await hf.workflows.triggerAndWait(typed, { timeoutMs: 1 });
    });
  });

  it('demand the data of an event that has some, and of no other', () => {
    const bare = eventType('bare');
    const optional = eventType<{ n: number } | undefined>('optional');
    const sendTyped = <Data>(type: EventType<Data>, data: Data) => hf.events.send({ name: type, data });
    typesOnly(async () => {
      await hf.events.send({ name: bare });
      await hf.events.send({ name: bare, data: 1 });
      await hf.events.send({ name: optional });
      await hf.events.send({ name: 'free' });
      await sendTyped(orderPaid, { orderId: 'o', cents: 1 });
      // @ts-expect-error without its data
      await hf.events.send({ name: orderPaid });
      // @ts-expect-error without its data
      await hf.events.send({ name: orderPaid, data: undefined });
      // @ts-expect-error not its data
      await hf.events.send({ name: optional, data: { n: '1' } });
    });
    hf.workflow({ id: 'emitting' }, async ({ step }) => {
      await step.emit('a', { name: bare });
      await step.emit('b', { name: 'free', data: [1] });
      // @ts-expect-error without its data
      await step.emit('c', { name: orderPaid });
    });
  });

  it('refuse two names, none, and unknown policies', () => {
    typesOnly(() => [
      // @ts-expect-error one of the two
      hf.workflow({ id: 'a', name: 'b' }, () => null),
      // @ts-expect-error neither
      hf.workflow({ triggers: [] }, () => null),
      // @ts-expect-error no such policy
      hf.workflow({ id: 'c', concurency: { limit: 1 } }, () => null),
      hf.workflow({ id: 'd', concurrency: { limit: 1 }, retry: { maxAttempts: 3, backoff: 'fixed' } }, () => null),
    ]);
  });

  it('keep unknown and any as they are, and drop what JSON drops', () => {
    expectTypeOf<Jsonify<unknown>>().toBeUnknown();
    expectTypeOf<Jsonify<{ a: unknown; f: () => void; d: Date | null; o?: number }>>().toEqualTypeOf<{
      a: unknown;
      d: string | null;
      o?: number;
    }>();
    expectTypeOf<Jsonify<string[] | undefined>>().toEqualTypeOf<string[] | null>();
  });

  it('leave values of any JSON as they are, however their type refers to itself', () => {
    type Own = string | number | boolean | null | Own[] | { [key: string]: Own };
    type Fest = string | number | boolean | null | FestObject | Fest[] | readonly Fest[];
    type FestObject = { [Key in string]: Fest };
    interface Tree {
      at: Date;
      children: Tree[];
    }
    typesOnly(() =>
      hf.workflow({ id: 'any JSON' }, async ({ step }) => {
        expectTypeOf(await step.run('a', async (): Promise<Own> => 1)).toEqualTypeOf<Own>();
        expectTypeOf(await step.run('b', async (): Promise<Fest> => 1)).toEqualTypeOf<Fest>();
        expectTypeOf(await step.run('c', (): Own | undefined => 1)).toEqualTypeOf<Own>();
        expectTypeOf(await step.run('d', () => ({ any: 1 as Own, at: new Date() }))).toEqualTypeOf<{
          any: Own;
          at: string;
        }>();
        const tree = await step.run('e', (): Tree => ({ at: new Date(), children: [] }));
        expectTypeOf(tree.children[0]?.children[0]?.at).toEqualTypeOf<string | undefined>();
        return 1 as Own;
      }),
    );
    const key: unique symbol = Symbol('key');
    expectTypeOf<Jsonify<{ [key]: 1; a: 2 }>>().toEqualTypeOf<{ a: 2 }>();
  });

  it('take types of any JSON as they are, with keys that may be absent, and of interfaces', () => {
    type Loose = string | number | boolean | null | { [key: string]: Loose | undefined } | Loose[];
    interface Fields {
      [key: string]: Value;
    }
    type Value = string | number | boolean | null | Fields | Value[];
    typesOnly(() =>
      hf.workflow({ id: 'loose JSON' }, async ({ step }) => {
        expectTypeOf(await step.run('loose', async (): Promise<Loose> => 1)).toEqualTypeOf<Loose>();
        expectTypeOf(await step.run('fields', async (): Promise<Value> => 1)).toEqualTypeOf<Value>();
        const opts: { tool: string; args: ReturnType<typeof JSON.parse> } = { tool: 't', args: 1 };
        expectTypeOf((await step.approval('any', opts)).args).toBeAny();
        return 1 as Loose;
      }),
    );
    expectTypeOf<Jsonify<{ a: undefined; b?: string }>>().toEqualTypeOf<{ a?: never; b?: string }>();
  });

  it('do not vouch for what keeps its content out of its fields', () => {
    expectTypeOf<Jsonify<Response | Headers | URLSearchParams | FormData | Blob | File>>().toBeNever();
    expectTypeOf<Jsonify<Map<string, number> | Set<number> | WeakMap<object, 1> | WeakSet<object>>>().toBeNever();
    expectTypeOf<Jsonify<Uint8Array | Buffer | DataView | ArrayBuffer | Float64Array>>().toBeNever();
    expectTypeOf<Jsonify<Generator<number> | AsyncGenerator<1> | IterableIterator<1> | RegExp>>().toBeNever();
    expectTypeOf<Jsonify<ReadableStream | WeakRef<object> | AbortSignal>>().toBeNever();
    expectTypeOf<Jsonify<{ a: Map<string, number>; b: Response | null; c: Promise<1> }>>().toEqualTypeOf<{
      a: never;
      b: null;
      c: never;
    }>();
  });

  it('leave alone what only looks like it in part', () => {
    type Lookalikes = {
      error: { name: string; message: string };
      list: { next: string; items: string[] };
      size: { byteLength: number };
      url: URL;
      tuple: [Date, 'a'];
    };
    expectTypeOf<Jsonify<Lookalikes>>().toEqualTypeOf<{
      error: { name: string; message: string };
      list: { next: string; items: string[] };
      size: { byteLength: number };
      url: string;
      tuple: [string, 'a'];
    }>();
    expectTypeOf<Jsonify<'a' | 1 | { k: 'x' } | [1]>>().toEqualTypeOf<'a' | 1 | { k: 'x' } | [1]>();
  });

  it('of a verified webhook follow from its kind', () => {
    typesOnly(async () => {
      const webhook = await verifyWebhook('', new Headers(), ['a', 'b']);
      expectTypeOf(webhook.run.status).toEqualTypeOf<RunStatus>();
      if (webhook.kind === 'run.failed') expectTypeOf(webhook.run.status).toEqualTypeOf<'failed'>();
      // @ts-expect-error a run has no step
      if (webhook.kind === 'run.failed') webhook.step;
      if (webhook.kind === 'step.skipped') expectTypeOf(webhook.step.status).toEqualTypeOf<'skipped'>();
      await verifyWebhook(new Uint8Array(), { 'x-service-signature': ['t=1'] }, 'a', { now: new Date() });
      await verifyWebhook(new ArrayBuffer(0), [['a', 'b']], 'a', { scheme: 'standard', now: 1 });
      // @ts-expect-error a parsed body
      await verifyWebhook({ id: 'a' }, {}, 'a');
    });
    expectTypeOf<WebhookVerificationError['reason']>().toEqualTypeOf<VerificationFailure>();
  });
});

import { describe, expect, it } from 'vitest';
import { eventType, Holdfast } from '../../sdk/src/index.ts';
import { pass } from './support/passes.ts';
import { ServiceDouble } from './support/serviceDouble.ts';

/** Calls from JavaScript that no compiler would accept. */
const anyhow = (target: unknown, method: string, ...args: unknown[]): unknown =>
  Reflect.apply((target as Record<string, () => unknown>)[method] as () => unknown, target, args);

const client = () => new Holdfast({ baseUrl: 'http://127.0.0.1:9', apiKey: 'hf_sk_x' });

describe('an invalid workflow is refused where it is defined', () => {
  it.each<[unknown[], string]>([
    [[{ id: 'w', triggers: ['a.b'] }, () => 1], 'triggers[0] of workflow "w" must be an event type, { event:'],
    [[{ id: 'w', triggers: 'a.b' }, () => 1], 'the triggers of workflow "w" must be a list; it is "a.b"'],
    [
      [{ id: 'w', triggers: [{ event: 'a' }, {}] }, () => 1],
      'triggers[1] of workflow "w" must be the name of an event',
    ],
    [[{ id: 'w', triggers: [{ event: 7 }] }, () => 1], 'or what eventType() gives; it is 7'],
    [[{ id: 'w' }, { event: 'a.b' }, () => 1], 'the handler of workflow "w" (the second argument) must be a function'],
    [[{ id: 'w' }], 'must be a function; it is undefined'],
    [[{ id: 'w', onFailure: 'tell' }, () => 1], 'the onFailure of workflow "w" must be a function; it is "tell"'],
    [['w', () => 1], 'a workflow needs options first, such as { id: '],
    [[], 'it is undefined'],
  ])('%j', (args, message) => {
    const hf = client();
    expect(() => anyhow(hf, 'workflow', ...args)).toThrow(TypeError);
    expect(() => anyhow(hf, 'workflow', ...args)).toThrow(message);
    expect(hf.definitions()).toEqual([]);
  });
});

describe('a misspelt field of a definition is refused by name', () => {
  const meant = (field: string, other: string) => `has no field "${field}"; perhaps "${other}" is meant`;
  it.each<[object, string]>([
    [{ triggers: [{ event: 'a', iff: 'true' }] }, `triggers[0] of workflow "w" ${meant('iff', 'if')}`],
    [{ triggers: [{ event: 'a', match: 'data.id' }] }, meant('match', 'if')],
    [{ triggers: [{ evnt: 'a' }] }, meant('evnt', 'event')],
    [{ triggers: [{ name: 'a', if: 'true' }] }, 'has no field "if"; its fields are name, schema'],
    [{ triggers: [{ cron: '@daily', if: 'true' }] }, 'has no field "if"; its fields are cron'],
    [{ triggers: [{ cron: '@daily', event: 'a' }] }, 'has no field "event"'],
    [
      { triggers: [{ cron: 7 }] },
      'the cron of triggers[0] of workflow "w" must be a string that is not empty; it is 7',
    ],
    [{ cancelOn: [{ event: 'a', iff: 'true' }] }, `cancelOn[0] of workflow "w" ${meant('iff', 'if')}`],
    [{ cancelOn: [{ event: 'a', cron: '@daily' }] }, 'has no field "cron"; its fields are event, if'],
    [{ retries: 3 }, `workflow "w" ${meant('retries', 'retry')}`],
    [{ trigger: [] }, meant('trigger', 'triggers')],
    [{ concurency: { limit: 1 } }, meant('concurency', 'concurrency')],
    [{ colour: 'red' }, 'workflow "w" has no field "colour"; its fields are id, name, triggers, retry'],
    [{ retry: { attempts: 3 } }, `the retry of workflow "w" ${meant('attempts', 'maxAttempts')}`],
    [{ retry: 3 }, 'the retry of workflow "w" must be an object; it is 3'],
    [{ throttle: { limit: 1, per: 1 } }, `the throttle of workflow "w" ${meant('per', 'perMs')}`],
    [{ concurrency: { limit: 1, match: 'a' } }, 'the concurrency of workflow "w" has no field "match"'],
    [{ concurrency: 5 }, 'the concurrency of workflow "w" must be an object; it is 5'],
    [{ steps: [{ name: 'a', desc: 'b' }] }, 'steps[0] of workflow "w" has no field "desc"'],
  ])('%j', (options, message) => {
    const hf = client();
    expect(() => anyhow(hf, 'workflow', { id: 'w', ...options }, () => 1)).toThrow(TypeError);
    expect(() => anyhow(hf, 'workflow', { id: 'w', ...options }, () => 1)).toThrow(message);
    expect(hf.definitions()).toEqual([]);
  });

  it.each<[unknown[], string]>([
    [[], 'an event type needs the name of its event first; it is undefined'],
    [['a', { shema: 1 }], `the options of event type "a" ${meant('shema', 'schema')}`],
    [['a', {}], 'the schema of event type "a" must follow Standard Schema'],
    [['a', { schema: { type: 'object' } }], 'such as z.object(…) of zod or type(…) of ArkType; it is an object'],
  ])('an invalid event type is refused: %j', (args, message) => {
    expect(() => Reflect.apply(eventType, undefined, args)).toThrow(message);
  });

  it('the fields of every policy are known', () => {
    const policies = {
      concurrency: { limit: 1, key: 'a' },
      throttle: { limit: 1, perMs: 1, key: 'a' },
      rateLimit: { limit: 1, perMs: 1, key: 'a' },
      debounce: { periodMs: 1, key: 'a' },
      batch: { maxSize: 1, timeoutMs: 1, key: 'a' },
      priority: { shiftMs: 1 },
      singleton: { key: 'a', mode: 'skip' },
      idempotency: { key: 'a', periodMs: 1 },
      cap: { maxCost: 1, maxTokens: 1 },
      budget: { maxCost: 1, maxTokens: 1, windowMs: 1, warnAtPct: 1 },
      tokenThrottle: { tokens: 1, perMs: 1, key: 'a' },
    } as const;
    expect(() => client().workflow({ id: 'w', ...policies }, () => 1)).not.toThrow();
  });
});

describe('a misspelt option of a call has no effect, and a warning names it', () => {
  it('of the client, of connect and of what the client sends', async () => {
    const warned: string[] = [];
    const logger = { info: () => {}, error: () => {}, warn: (message: string) => warned.push(message) };
    const options = { baseURL: 'http://127.0.0.1:9', baseUrl: 'http://127.0.0.1:9', apiKey: 'hf_sk_x', logger };
    const hf = new Holdfast(options);
    await expect(anyhow(hf.events, 'send', { name: 'a', dedupId: '1' })).rejects.toThrow();
    await expect(anyhow(hf.workflows, 'trigger', { name: 'a' }, { inputs: 1 })).rejects.toThrow();
    const connection = anyhow(hf, 'connect', { maxInflight: 1 }) as ReturnType<typeof hf.connect>;
    await connection.close();
    await expect(anyhow(hf, 'register', { url: 'http://127.0.0.1:9', every: 1 })).rejects.toThrow();
    const lines = [
      'holdfast: new Holdfast() has no field "baseURL"; perhaps "baseUrl" is meant. The field has no effect.',
      'holdfast: events.send has no field "dedupId"; perhaps "dedupeId" is meant. The field has no effect.',
      'holdfast: workflows.trigger has no field "inputs"; perhaps "input" is meant. The field has no effect.',
      'holdfast: connect() has no field "maxInflight"; perhaps "maxInFlight" is meant. The field has no effect.',
      'holdfast: register() has no field "every"; perhaps "everyMs" is meant. The field has no effect.',
    ];
    expect(warned.filter((line) => line.includes('has no field'))).toEqual(lines);
  });

  it.each<[string, unknown[], string]>([
    ['run', ['s', { retries: 3 }, () => 1], 'has no field "retries"; perhaps "retry" is meant'],
    ['waitForEvent', ['s', { event: 'a', match: 'x' }], 'has no field "match"; perhaps "if" is meant'],
    ['emit', ['s', { name: 'a', dedupId: '1' }], 'has no field "dedupId"; perhaps "dedupeId" is meant'],
    ['runWorkflow', ['s', { name: 'w' }, { input: 1 }], 'has no field "input"; perhaps "data" is meant'],
    ['approval', ['s', { tool: 'a', arg: 1 }], 'has no field "arg"; perhaps "args" is meant'],
    ['webhook', ['s', { url: 'https://a.example', body: 1 }], 'has no field "body"; perhaps "data" is meant'],
  ])('of a step, in the log of the run: %s', async (method, args, message) => {
    const w = client().workflow({ id: 'w' }, async ({ step }) => anyhow(step, method, ...args));
    const answer = await pass(w);
    expect(answer.status).toBe(206);
    expect(answer.logs).toMatchObject([{ level: 'warn', message: `step "s" ${message}. The field has no effect.` }]);
  });
});

describe('an invalid step fails the run for good, and names the expected value', () => {
  it.each<[string, unknown[], string]>([
    ['emit', ['e', { data: 1 }], 'the name of what is sent by step "e" must be the name of an event'],
    ['emit', ['e'], `step "e" needs an event to send, such as { name: 'order.paid', data: … }; it is undefined`],
    ['waitForEvent', ['x'], `step "x" needs what it waits for, such as { event: 'order.paid' }; it is undefined`],
    ['waitForEvent', ['x', 'order.paid'], 'it is "order.paid"'],
    ['waitForEvent', ['x', {}], 'the event of step "x" must be the name of an event'],
    ['waitForEvent', ['x', { event: 'a', timeout: '1y' }], 'the timeout of step "x" must be milliseconds'],
    ['approval', ['a'], `step "a" needs what it asks for, such as { tool: 'refund', args: … }; it is undefined`],
    ['approval', ['a', { args: 1 }], 'the tool of step "a" must be a string that is not empty; it is undefined'],
    [
      'webhook',
      ['w'],
      `step "w" needs an address, such as { url: 'https://example.com/hooks', data: … }; it is undefined`,
    ],
    ['webhook', ['w', { data: 1 }], 'the url of step "w" must be a string that is not empty; it is undefined'],
    ['runWorkflow', ['c'], 'step "c" needs a workflow'],
    ['runWorkflow', ['c', {}], 'the name of the workflow of step "c" must be a string'],
    [
      'sleep',
      ['s', Number.NaN],
      `the duration of step "s" must be milliseconds, or a number with a unit such as '5s'; it is NaN`,
    ],
    ['sleep', ['s', '5 apples'], 'it is "5 apples"'],
    [
      'sleepUntil',
      ['s', new Date('nonsense')],
      'the time of step "s" must be a Date, an RFC 3339 text, or milliseconds since the epoch; it is an invalid Date',
    ],
    ['waitForEvent', ['w', { event: 'e', since: 'monday' }], 'since of step "w" must be a Date, an RFC 3339 text'],
    ['run', ['r', 7], 'step "r" needs a body: a function, as the last argument, that does its work; it is 7'],
    ['run', [undefined, () => 1], 'a step needs an id: a string that is not empty; it is undefined'],
  ])('%s %j', async (method, args, message) => {
    const w = client().workflow({ id: 'w' }, async ({ step }) => anyhow(step, method, ...args));
    const answer = await pass(w);
    expect(answer).toMatchObject({ status: 500, retriable: false, error: { name: 'TypeError' } });
    expect(answer.error?.message).toContain(message);
  });
});

it.each<[unknown, string]>([
  [7, `events.send needs one event, such as { name: 'order.paid', data: … }; it is 7`],
  [
    [{ name: 'a' }, [{ name: 'b' }]],
    `events.send needs one event at events[1], such as { name: 'order.paid', data: … }; it is a list`,
  ],
  [[{ name: 'a' }, {}], 'the name given to events.send at events[1] must be the name of an event'],
  [[{ name: 'a', data: Number.NaN }], 'the data of the event at events[0] cannot be sent'],
  [undefined, 'it is undefined'],
  [{}, 'the name given to events.send must be the name of an event, or what eventType() gives; it is undefined'],
])('an invalid event is not sent: %j', async (event, message) => {
  await expect(anyhow(client().events, 'send', event)).rejects.toThrow(message);
});

it('an invalid workflow is not triggered', async () => {
  await expect(anyhow(client().workflows, 'trigger')).rejects.toThrow('workflows.trigger needs a workflow');
  await expect(anyhow(client().workflows, 'trigger', {})).rejects.toThrow('the name of the workflow to trigger');
});

it('a workflow that is defined after connect() is taken, and the logger warns that its runs do not come', async () => {
  const service = await ServiceDouble.start();
  const warned: string[] = [];
  const logger = { info: () => {}, error: () => {}, warn: (message: string) => warned.push(message) };
  const hf = new Holdfast({ baseUrl: service.url, apiKey: 'hf_sk_x', logger });
  hf.workflow({ id: 'early' }, () => 1);
  const connection = hf.connect();
  await connection.ready;
  expect(warned).toEqual([]);
  hf.workflow({ id: 'late' }, () => 1);
  expect(warned).toEqual([expect.stringContaining('workflow "late" was defined after connect() was called')]);
  expect((await (await service.peer(0)).hello()).workflows.map(({ name }) => name)).toEqual(['early']);
  await connection.close();
  await service.stop();
});

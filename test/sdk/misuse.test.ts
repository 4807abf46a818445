import { describe, expect, it } from 'vitest';
import { Holdfast } from '../../sdk/src/index.ts';
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
      'step "s" needs a valid Date, or milliseconds since the epoch; it is an invalid',
    ],
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
  [[{ name: 'a' }], `events.send needs one event, such as { name: 'order.paid', data: … }; it is a list`],
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

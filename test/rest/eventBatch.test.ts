import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answered, type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
  const workflows = [
    { name: 'ship', triggers: [{ event: 'order.*' }] },
    { name: 'one', singleton: { mode: 'skip' } },
  ];
  await rest.call('POST', '/register', { app: 'shop', url: 'http://127.0.0.1:9/', workflows });
});
afterAll(() => rest.close());

const sendAll = (events: unknown): Promise<Answered> => rest.call('POST', '/events/batch', { events });

test('POST /events/batch answers 202 with what POST /events answers for each event, in order', async () => {
  const events = [{ name: 'order.paid' }, { name: 'nobody.listens' }, { name: 'one' }, { name: 'one' }];
  const { status, body } = await sendAll(events);
  expect(status).toBe(202);
  const answer = { eventId: expect.any(String), woke: 0 };
  const started = (workflow: string) => ({
    ...answer,
    runId: expect.any(String),
    triggered: [{ app: 'shop', workflow, runId: expect.any(String) }],
  });
  const existingRunId = body.results[2].runId;
  expect(body).toEqual({
    results: [
      started('ship'),
      { ...answer, triggered: [] },
      started('one'),
      {
        ...answer,
        existingRunId,
        skipped: true,
        triggered: [{ app: 'shop', workflow: 'one', skipped: true, existingRunId }],
      },
    ],
  });
  const listed = await rest.call('GET', '/events?limit=4');
  expect(listed.body.map(({ id }: { id: string }) => id)).toEqual(
    body.results.map(({ eventId }: { eventId: string }) => eventId).reverse(),
  );
});

test('a bad event refuses the whole call with a 400 that names its index and field', async () => {
  const good = { name: 'order.refused' };
  for (const [bad, error] of [
    [{}, 'events[1]: name is required'],
    [{ name: 7 }, 'events[1]: name must be a string'],
    [{ name: '' }, 'events[1]: name is required and must not be blank'],
    [{ name: 'x', tags: { t: 1 } }, 'events[1]: tags.t must be a string'],
    [{ name: 'x', targetApp: 'nowhere' }, 'events[1]: event names an unregistered workflow'],
    ['order.refused', 'events[1] must be an object'],
    [null, 'events[1] must be an object'],
    [[], 'events[1] must be an object'],
  ] as const)
    expect(await sendAll([good, bad, good])).toMatchObject({ status: 400, body: { error } });
  expect((await rest.call('GET', '/events?name=order.refused')).body).toEqual([]);
});

test('the list has 1 to 1000 events', async () => {
  const many = (length: number) => sendAll(Array.from({ length }, () => ({ name: 'n' })));
  expect(await rest.call('POST', '/events/batch', {})).toMatchObject({ body: { error: 'events is required' } });
  expect(await sendAll({})).toMatchObject({ status: 400, body: { error: 'events must be a list of objects' } });
  expect(await many(0)).toMatchObject({ status: 400, body: { error: 'events must hold at least one event' } });
  expect(await many(1_001)).toMatchObject({ status: 400, body: { error: 'events may hold at most 1000 entries' } });
  const { status, body } = await many(1_000);
  expect({ status, answers: body.results.length }).toEqual({ status: 202, answers: 1_000 });
});

test('a body beyond 1 MiB answers 413', async () => {
  const data = 'x'.repeat(1024 * 1024);
  expect(await sendAll([{ name: 'large', data }])).toMatchObject({ status: 413 });
});

test('the payload of each event comes back as the text that was sent, null and absent told apart', async () => {
  const data = '{"big":12345678901234567890,"huge":1e400,"zero":-0,"a":[1.50, null]}';
  const events = `[{"name":"exact","data":${data}},{"name":"exact","data":null},{"name":"exact"}]`;
  const { body } = await rest.call('POST', '/events/batch', `{"events":${events}}`);
  const [exact, isNull, absent] = await Promise.all(
    body.results.map(({ eventId }: { eventId: string }) => rest.call('GET', `/events/${eventId}`)),
  );
  expect(exact.text).toContain(`"data":${data}`);
  expect(isNull.body.data).toBeNull();
  expect(absent.body).not.toHaveProperty('data');
});

test('a strict request refuses a misspelt field of an event by index and name', async () => {
  const events = [{ name: 'x' }, { name: 'x', dedupID: '1' }];
  const { status, body } = await rest.call('POST', '/events/batch', { events }, { headers: { 'x-strict': '1' } });
  expect(status).toBe(400);
  expect(body.error).toContain('unknown field "dedupID": events[1] may have name, app, ');
  expect(await rest.call('POST', '/events/batch', { events })).toMatchObject({ status: 202 });
});

test('a public key cannot send', async () => {
  const key = rest.keys.public;
  expect(await rest.call('POST', '/events/batch', { events: [{ name: 'x' }] }, { key })).toMatchObject({ status: 403 });
});

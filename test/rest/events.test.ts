import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { type Answered, type RestServer, startRest } from './restServer.ts';

let rest: RestServer;

beforeAll(async () => {
  rest = await startRest();
  await rest.call('POST', '/register', {
    app: 'shop',
    runner: 'r1',
    url: 'http://127.0.0.1:9/',
    workflows: [
      { name: 'ship', triggers: [{ event: 'order.*' }] },
      { name: 'bill', triggers: [{ event: 'order.paid', if: 'data.total > 10' }] },
    ],
  });
});
afterAll(() => rest.close());

const send = (body: unknown): Promise<Answered> => rest.call('POST', '/events', body);

test('POST /events answers 202 with what the event started; optional fields without a value are absent', async () => {
  const { status, body } = await send({ name: 'order.paid', data: { total: 11 } });
  expect(status).toBe(202);
  expect(body).toEqual({
    eventId: expect.any(String),
    runId: expect.any(String),
    woke: 0,
    triggered: [
      { app: 'shop', workflow: 'bill', runId: expect.any(String) },
      { app: 'shop', workflow: 'ship', runId: expect.any(String) },
    ],
  });
  expect(body.runId).toBe(body.triggered[0].runId);
});

test('runId mirrors the first entry of triggered, also where only a later one has a run', async () => {
  const workflows = [
    { name: 'a held back', triggers: [{ event: 'mirrored' }], debounce: { periodMs: 60_000 } },
    { name: 'b at once', triggers: [{ event: 'mirrored' }] },
  ];
  await rest.call('POST', '/register', { app: 'mirror', url: 'http://127.0.0.1:9/', workflows });
  const { body } = await send({ name: 'mirrored' });
  expect(body.triggered).toMatchObject([{ debounced: true }, { runId: expect.any(String) }]);
  expect(body).not.toHaveProperty('runId');
});

test('an event that nothing matches is recorded all the same', async () => {
  const { status, body } = await send({ name: 'nobody.listens' });
  expect({ status, body }).toEqual({ status: 202, body: { eventId: expect.any(String), woke: 0, triggered: [] } });
});

test('a repeated dedupeId answers deduped, and records nothing', async () => {
  const once = { name: 'order.once', dedupeId: newId() };
  const first = await send(once);
  const second = await send(once);
  expect(first.body.deduped).toBeUndefined();
  expect(second).toMatchObject({ status: 202, body: { deduped: true, woke: 0, triggered: [] } });
  expect(second.body.runId).toBeUndefined();
  expect((await rest.call('GET', '/events?name=order.once')).body).toHaveLength(1);
});

test('an addressed event whose scope has no workflow for it answers 400', async () => {
  for (const scope of [{ targetApp: 'nowhere' }, { runner: 'never-seen' }])
    expect(await send({ name: 'order.paid', ...scope })).toMatchObject({
      status: 400,
      body: { error: 'event names an unregistered workflow' },
    });
});

test('a payload comes back as the text that was sent', async () => {
  const data = '{"big":12345678901234567890,"huge":1e400,"zero":-0,"b":1,"a":[1.50, null],"t":"\\u00e9"}';
  const { body } = await send(`{"name":"exact", "data" : ${data} }`);
  expect((await rest.call('GET', `/events/${body.eventId}`)).text).toContain(`"data":${data}`);
});

test('data that is null is there, and data that was not sent is not', async () => {
  const read = async (event: string): Promise<unknown> => {
    const { body } = await send(event);
    return (await rest.call('GET', `/events/${body.eventId}`)).body;
  };
  expect(await read('{"name":"x","data":null}')).toHaveProperty('data', null);
  expect(await read('{"name":"x"}')).not.toHaveProperty('data');
});

test('GET /events/{id} answers the record with what it started', async () => {
  const sent = {
    name: 'order.paid',
    app: 'web',
    data: { total: 1 },
    tags: { a: 'b' },
    session: 's',
    targetApp: 'shop',
  };
  const { body } = await send(sent);
  expect((await rest.call('GET', `/events/${body.eventId}`)).body).toEqual({
    id: body.eventId,
    ...sent,
    source: 'api',
    receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    triggered: [{ app: 'shop', workflow: 'ship', runId: body.runId }],
    woke: 0,
    wokeRuns: [],
  });
});

test('GET /events is newest first, filtered by app and name, and pages by X-Next-Cursor', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.unshift((await send({ name: 'paged', app: 'pages', data: n })).body.eventId);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Answered = await rest.call('GET', `/events?name=paged&app=pages&limit=2&cursor=${cursor}`);
    seen.push(...page.body.map((event: { id: string }) => event.id));
    cursor = page.headers.get('x-next-cursor');
  }
  expect(seen).toEqual(ids);
  expect((await rest.call('GET', '/events?name=paged&app=other')).body).toEqual([]);
});

test('null for an optional string or for tags counts as left out', async () => {
  const { status, body } = await send({
    name: 'nulls',
    app: null,
    runner: null,
    targetApp: null,
    dedupeId: null,
    tags: null,
    session: null,
  });
  expect(status).toBe(202);
  expect(Object.keys((await rest.call('GET', `/events/${body.eventId}`)).body).sort()).toEqual([
    'app',
    'id',
    'name',
    'receivedAt',
    'source',
    'triggered',
    'woke',
    'wokeRuns',
  ]);
});

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

test('an event with startAt or delayMs and ttlMs is recorded now, and its runs begin later', async () => {
  for (const fields of [{ startAt: inAnHour() }, { delayMs: 3_600_000 }]) {
    const { status, body } = await send({ name: 'order.later', ttlMs: 60_000, ...fields });
    expect(status).toBe(202);
    const { body: run } = await rest.call('GET', `/runs/${body.runId}`);
    expect(run).toMatchObject({ status: 'queued', startAt: expect.any(String), expiresAt: expect.any(String) });
    expect(Date.parse(run.expiresAt) - Date.parse(run.startAt)).toBe(60_000);
    const waiting = await rest.call('GET', `/runs/${body.runId}/waiting`);
    expect(waiting.body).toMatchObject([{ kind: 'start', until: run.startAt }]);
    expect(waiting.body[0]).not.toHaveProperty('policy');
  }
  const { body } = await send({ name: 'order.now' });
  expect((await rest.call('GET', `/runs/${body.runId}`)).body).not.toHaveProperty('expiresAt');
});

test.each([
  [{ startAt: 'soon' }, 'startAt must be an RFC 3339 timestamp, such as 2026-01-31T08:00:00Z'],
  [{ startAt: '2999-01-01T00:00:00Z' }, 'startAt may be at most 365 days ahead'],
  [{ delayMs: 0 }, 'delayMs must be an integer from 1 to 31536000000'],
  [{ ttlMs: '1h' }, 'ttlMs must be an integer from 1 to 31536000000'],
  [{ startAt: '2026-01-01T00:00:00Z', delayMs: 1 }, 'startAt and delayMs exclude each other'],
])('an event with %j is refused: %s', async (fields, error) => {
  expect(await send({ name: 'order.later', ...fields })).toMatchObject({ status: 400, body: { error } });
});

test('events of one call have their own times', async () => {
  const events = [{ name: 'order.later', delayMs: 3_600_000 }, { name: 'order.later' }];
  const { body } = await rest.call('POST', '/events/batch', { events });
  const [later, now] = await Promise.all(
    body.results.map(async ({ runId }: { runId: string }) => (await rest.call('GET', `/runs/${runId}`)).body),
  );
  expect(later).toHaveProperty('startAt');
  expect(now).not.toHaveProperty('startAt');
  const bad = await rest.call('POST', '/events/batch', { events: [{ name: 'x', startAt: '2999-01-01T00:00:00Z' }] });
  expect(bad.body).toEqual({ error: 'events[0]: startAt may be at most 365 days ahead' });
});

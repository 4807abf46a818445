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
      { name: 'ship', triggers: [{ cron: '0 0 1 1 *' }] },
      { name: 'go/now é', triggers: [{ event: 'go' }] },
    ],
  });
});
afterAll(() => rest.close());

const trigger = async (body?: unknown): Promise<string> =>
  (await rest.call('POST', '/workflows/shop/ship/trigger', body)).body.runId;
const ids = (page: Answered): string[] => page.body.map((run: { id: string }) => run.id);

test('a trigger answers 202 with the run as addressed; no body is a valid body', async () => {
  for (const body of [undefined, {}, { input: { a: 1 } }])
    expect(await rest.call('POST', '/workflows/shop/ship/trigger', body)).toMatchObject({
      status: 202,
      body: { workflow: 'ship', app: 'shop', runId: expect.any(String), eventName: 'ship' },
    });
});

test('an app and a name may hold what a path must encode', async () => {
  const path = `/workflows/shop/${encodeURIComponent('go/now é')}/trigger`;
  expect(await rest.call('POST', path)).toMatchObject({ status: 202, body: { workflow: 'go/now é' } });
});

test('the input of a trigger comes back as it was sent, defaults to an empty object, and is never null', async () => {
  const inputOf = async (body?: string): Promise<string> =>
    (await rest.call('GET', `/runs/${await trigger(body)}`)).text;
  expect(await inputOf('{"input":[1e400,-0,{"__proto__":1}]}')).toContain('"input":[1e400,-0,{"__proto__":1}]');
  expect(await inputOf()).toContain('"input":{}');
  expect(await inputOf('{"input":null}')).toContain('"input":{}');
  expect(await inputOf('{"eventName":"x"}')).toContain('"input":{}');
});

test('a trigger with a repeated dedupeId answers deduped without a run', async () => {
  const body = { dedupeId: newId() };
  expect(await trigger(body)).toEqual(expect.any(String));
  const repeat = await rest.call('POST', '/workflows/shop/ship/trigger', body);
  expect(repeat).toMatchObject({ status: 202, body: { deduped: true } });
  expect(repeat.body).not.toHaveProperty('runId');
});

test('a trigger answers 404 for a workflow that is not registered, and 502 when no runner can serve it', async () => {
  expect(await rest.call('POST', '/workflows/shop/nothing/trigger')).toMatchObject({ status: 404 });
  expect(await rest.call('POST', '/workflows/other/ship/trigger')).toMatchObject({ status: 404 });
  expect(await rest.call('POST', '/workflows/shop/ship/trigger', { runner: 'gone' })).toMatchObject({ status: 502 });
});

test('over-long or mistyped trigger fields answer 400 and are named', async () => {
  for (const field of ['eventName', 'dedupeId', 'runner'])
    for (const value of ['x'.repeat(257), 1, {}])
      expect(await rest.call('POST', '/workflows/shop/ship/trigger', { [field]: value })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(field) },
      });
});

test('GET /runs/{id} answers the run with its input; what has no value is absent', async () => {
  const runId = await trigger({ input: { a: 1 }, eventName: 'label', tags: { customer: 'c1' } });
  expect((await rest.call('GET', `/runs/${runId}`)).body).toEqual({
    id: runId,
    app: 'shop',
    workflow: 'ship',
    version: expect.any(String),
    status: 'queued',
    triggerKind: 'manual',
    eventName: 'label',
    tags: { customer: 'c1' },
    attempt: 1,
    waitingFor: { kind: 'runner' },
    createdAt: expect.any(String),
    input: { a: 1 },
    stepCount: 0,
  });
});

test('GET /runs leaves out input and result', async () => {
  const runId = await trigger({ input: { secret: 1 } });
  const page = await rest.call('GET', '/runs?limit=1');
  expect(page.body).toEqual([expect.objectContaining({ id: runId, status: 'queued' })]);
  for (const field of ['input', 'result', 'stepCount']) expect(page.body[0]).not.toHaveProperty(field);
});

test('GET /runs filters by tags, all of which must hold, by event and by status alias', async () => {
  const tag = newId();
  const both = await trigger({ tags: { tag, b: '1' } });
  const one = await trigger({ tags: { tag } });
  expect(ids(await rest.call('GET', `/runs?tag.tag=${tag}`))).toEqual([one, both]);
  expect(ids(await rest.call('GET', `/runs?tag.tag=${tag}&tag.b=1`))).toEqual([both]);
  expect(
    ids(await rest.call('GET', `/runs?tag.tag=${tag}&status=active&runType=manual&app=shop&workflow=ship`)),
  ).toHaveLength(2);
  expect(ids(await rest.call('GET', `/runs?tag.tag=${tag}&status=succeeded`))).toEqual([]);
  const { body } = await rest.call('POST', '/events', { name: 'go' });
  expect(ids(await rest.call('GET', `/runs?eventId=${body.eventId}`))).toEqual([body.runId]);
});

test('GET /runs pages by X-Next-Cursor without skipping or repeating; a cursor of another order answers 400', async () => {
  const session = newId();
  const sent: string[] = [];
  for (let n = 0; n < 5; n += 1) sent.unshift((await rest.call('POST', '/events', { name: 'go', session })).body.runId);
  for (const order of ['', '&sort=status&dir=asc', '&sort=duration']) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answered = await rest.call(
        'GET',
        `/runs?session=${session}&limit=2${order}&cursor=${encodeURIComponent(cursor)}`,
      );
      expect(page.status).toBe(200);
      seen.push(...ids(page));
      cursor = page.headers.get('x-next-cursor');
    }
    expect([...seen].sort()).toEqual([...sent].sort());
    if (order === '') expect(seen).toEqual(sent);
  }
  const cursor = (await rest.call('GET', `/runs?session=${session}&limit=2`)).headers.get('x-next-cursor');
  expect(await rest.call('GET', `/runs?session=${session}&dir=asc&cursor=${cursor}`)).toMatchObject({ status: 400 });
});

test('GET /runs pages over names of any length that a name may have', async () => {
  const [app, name] = ['😀'.repeat(256), 'é'.repeat(256)];
  await rest.call('POST', '/register', { app, url: 'http://127.0.0.1:9/', workflows: [{ name }] });
  const path = `/workflows/${encodeURIComponent(app)}/${encodeURIComponent(name)}/trigger`;
  const sent = [(await rest.call('POST', path)).body.runId, (await rest.call('POST', path)).body.runId];
  for (const sort of ['app', 'workflow']) {
    const first = await rest.call('GET', `/runs?app=${encodeURIComponent(app)}&sort=${sort}&limit=1`);
    const cursor = first.headers.get('x-next-cursor');
    const second = await rest.call('GET', `/runs?app=${encodeURIComponent(app)}&sort=${sort}&limit=1&cursor=${cursor}`);
    expect([...ids(second), ...ids(first)], sort).toEqual(sent);
  }
});

test('a run that an event of cancelOn cancelled shows the event in its error, in the list too', async () => {
  const runId = await trigger();
  await rest.call('POST', `/runs/${runId}/cancel`);
  expect((await rest.call('GET', `/runs/${runId}`)).body).not.toHaveProperty('error');
  const error = { name: 'CancelledByEventError', message: 'cancelled by event stop (e1)' };
  await rest.engine.db.query('update run set error = $2 where id = $1', [runId, JSON.stringify(error)]);
  expect((await rest.call('GET', `/runs/${runId}`)).body).toMatchObject({ error });
  const { body } = await rest.call('GET', '/runs?status=cancelled&limit=1');
  expect(body).toMatchObject([{ id: runId, error }]);
});

test('cancel answers the cancelled run, and 409 when it is over', async () => {
  const runId = await trigger();
  expect(await rest.call('POST', `/runs/${runId}/cancel`)).toMatchObject({
    status: 200,
    body: { id: runId, status: 'cancelled', endedAt: expect.any(String) },
  });
  expect(await rest.call('POST', `/runs/${runId}/cancel`)).toMatchObject({
    status: 409,
    body: { error: 'run already in a terminal state' },
  });
});

test('GET /runs/{id}/steps shows every attempt; a null result is there, an absent one is not', async () => {
  const runId = await trigger();
  const insert = (attempt: number, status: string, columns: Record<string, unknown>): Promise<unknown> =>
    rest.engine.db.query(
      `insert into run_step (run_id, index, attempt, step_id, name, op, status, output, error, will_retry, run_after, started_at, ended_at)
       values ($1, 0, $2, 'hash', 'charge', 'StepRun', $3, $4, $5, $6, $7, now(), now())`,
      [runId, attempt, status, columns['output'], columns['error'], columns['willRetry'] ?? false, columns['runAfter']],
    );
  const later = new Date('2100-01-01T00:00:00Z');
  await insert(1, 'failed', { error: '{"message":"no","stack":"at x"}', willRetry: true, runAfter: later });
  await insert(2, 'succeeded', { output: 'null' });
  const step = {
    name: 'charge',
    index: 0,
    startedAt: expect.any(String),
    endedAt: expect.any(String),
    durationMs: expect.any(Number),
  };
  expect((await rest.call('GET', `/runs/${runId}/steps`)).body).toEqual([
    {
      ...step,
      attempt: 1,
      status: 'failed',
      error: { message: 'no', stack: 'at x' },
      runAfter: later.toISOString(),
      nextAttemptAt: later.toISOString(),
      willRetry: true,
    },
    { ...step, attempt: 2, status: 'succeeded', output: null },
  ]);
});

test('GET /runs/{id}/steps shows a step whose body executes, while its run is leased under that claim', async () => {
  const runId = await trigger();
  const at = '2026-01-01T00:00:00.000Z';
  const started = JSON.stringify([{ claimNo: 7, id: 'hash', name: 'charge', index: 0, attempt: 1, at }]);
  const become = (state: string, claimNo: number): Promise<unknown> =>
    rest.engine.db.query(
      "update run_work set state = $2, lease_id = case when $2 = 'leased' then $1::uuid end, claim_no = $3, started = $4 where run_id = $1",
      [runId, state, claimNo, started],
    );
  const shown = async (): Promise<unknown> => (await rest.call('GET', `/runs/${runId}/steps`)).body;
  await become('leased', 7);
  expect(await shown()).toEqual([{ name: 'charge', index: 0, attempt: 1, status: 'running', startedAt: at }]);
  await become('leased', 8);
  expect(await shown()).toEqual([]);
  await become('ready', 7);
  expect(await shown()).toEqual([]);
});

test('GET /runs/{id}/logs pages forward by seq, oldest first', async () => {
  const runId = await trigger();
  for (const n of [1, 2, 3])
    await rest.engine.db.query(
      `insert into run_frame (run_id, seq, kind, payload, log_scope, log_attempt, log_index)
       values ($1, 100 + $2::int, 'log', $3, '@root', 1, $2::int)`,
      [runId, n, `{"level":"info","message":"line ${n}","scope":"@root","attempt":1,"fields":{"n":1e400}}`],
    );
  const first = await rest.call('GET', `/runs/${runId}/logs?limit=2`);
  expect(first.text).toContain('"fields":{"n":1e400}');
  expect(first.body.map((line: { message: string }) => line.message)).toEqual(['line 1', 'line 2']);
  expect(first.body[0]).toMatchObject({ seq: 101, level: 'info', scope: '@root', attempt: 1, ts: expect.any(String) });
  const rest2 = await rest.call('GET', `/runs/${runId}/logs?from=${first.body[1].seq}`);
  expect(rest2.body.map((line: { message: string }) => line.message)).toEqual(['line 3']);
});

test('GET /runs/{id}/logs has lines of some levels, of a step, or with a text only', async () => {
  const runId = await trigger();
  for (const [n, [level, scope]] of [
    ['info', '@root'],
    ['warn', 'pay'],
    ['error', 'pay'],
  ].entries())
    await rest.engine.db.query(
      `insert into run_frame (run_id, seq, kind, payload, log_scope, log_attempt, log_index)
       values ($1, 101 + $2::int, 'log', $3, $4, 1, $2::int)`,
      [runId, n, `{"level":"${level}","message":"line ${n}","scope":"${scope}","attempt":1}`, scope],
    );
  const found = async (query: string): Promise<unknown> =>
    (await rest.call('GET', `/runs/${runId}/logs?${query}`)).body.map(({ message }: { message: string }) => message);
  expect(await found('levels=warn,error')).toEqual(['line 1', 'line 2']);
  expect(await found('scope=pay&levels=error')).toEqual(['line 2']);
  expect(await found('q=LINE%200')).toEqual(['line 0']);
  expect(await rest.call('GET', `/runs/${runId}/logs?levels=loud`)).toMatchObject({ status: 400 });
});

test('a suspended project refuses triggers with 403 and accepts events without starting runs', async () => {
  const update = 'update project set suspended_at = $2, registry_version = registry_version + 1 where id = $1';
  await rest.engine.db.query(update, [rest.projectId, new Date()]);
  rest.engine.registry.invalidate(rest.projectId);
  expect(await rest.call('POST', '/workflows/shop/ship/trigger')).toMatchObject({ status: 403 });
  const { status, body } = await rest.call('POST', '/events', { name: 'go' });
  expect({ status, body }).toMatchObject({ status: 202, body: { suspended: true } });
  expect(body).not.toHaveProperty('runId');
  await rest.engine.db.query(update, [rest.projectId, null]);
  rest.engine.registry.invalidate(rest.projectId);
});

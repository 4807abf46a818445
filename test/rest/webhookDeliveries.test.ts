import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/engine/ids.ts';
import { insertAttempt, insertDelivery, insertEndpoint, insertWork } from '../engine/webhooks/deliveries/scene.ts';
import { insertRun, insertStep } from '../schema/fixtures.ts';
import { type RestServer, startRest } from './restServer.ts';

let rest: RestServer;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const missing = { status: 404, body: { error: 'webhook delivery not found' } };

/** A delivery of a run that succeeded. */
async function delivered(more: Parameters<typeof insertDelivery>[2] = {}): Promise<{ id: string; runId: string }> {
  const runId = await insertRun(rest.engine, rest.projectId, { status: 'succeeded', result: 'null' });
  const id = await insertDelivery(rest.engine, rest.projectId, { runId, runStatus: 'succeeded', ...more });
  return { id, runId };
}

const read = async (id: string) => (await rest.call('GET', `/webhook-deliveries/${id}`)).body;

describe('GET /webhook-deliveries/{id}', () => {
  test('answers every field that has a value, and none that has not', async () => {
    const endpointId = await insertEndpoint(rest.engine, rest.projectId);
    const { id, runId } = await delivered({ endpointId });
    const pending = {
      id,
      app: 'shop',
      endpointId,
      url: 'https://receiver.test/hook',
      eventKind: 'run.succeeded',
      sourceRunId: runId,
      payload: expect.objectContaining({ id, kind: 'run.succeeded', run: expect.objectContaining({ result: null }) }),
      status: 'pending',
      attemptCount: 0,
      maxAttempts: 5,
      createdAt: instant,
      updatedAt: instant,
      attempts: [],
    };
    const { status, body } = await rest.call('GET', `/webhook-deliveries/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual(pending);
    const nextAttemptAt = new Date('2027-01-01T00:00:00Z');
    const failed = await delivered({ status: 'failed', attemptCount: 2, lastStatusCode: 503, nextAttemptAt });
    expect(await read(failed.id)).toMatchObject({
      status: 'failed',
      attemptCount: 2,
      lastStatusCode: 503,
      nextAttemptAt: '2027-01-01T00:00:00.000Z',
    });
    expect(await read(failed.id)).not.toHaveProperty('endpointId');
  });

  test('has the log of attempts, oldest first, each with the fields that it has', async () => {
    const { id } = await delivered({ attemptCount: 2 });
    await insertAttempt(rest.engine, id, {
      attempt: 2,
      outcome: 'http_error',
      statusCode: 500,
      responseSnippet: 'no',
      requestHeaders: { 'x-service-event': 'run.succeeded' },
      responseHeaders: { server: 'x' },
    });
    await insertAttempt(rest.engine, id, { attempt: 1, outcome: 'connection_error', error: 'refused', durationMs: 3 });
    expect((await read(id)).attempts).toEqual([
      {
        id: expect.any(String),
        attempt: 1,
        outcome: 'connection_error',
        error: 'refused',
        durationMs: 3,
        requestHeaders: {},
        createdAt: instant,
      },
      {
        id: expect.any(String),
        attempt: 2,
        outcome: 'http_error',
        statusCode: 500,
        responseSnippet: 'no',
        durationMs: 12,
        requestHeaders: { 'x-service-event': 'run.succeeded' },
        responseHeaders: { server: 'x' },
        createdAt: instant,
      },
    ]);
  });

  test('names no run and no endpoint of a custom send, and has its body as it was sent', async () => {
    const payload = '{"big":12345678901234567890, "huge":1e400,"zero":-0,"__proto__":{"x":1}}';
    const { id } = await delivered({ eventKind: 'custom', runStatus: null, payload });
    const { text, body } = await rest.call('GET', `/webhook-deliveries/${id}`);
    expect(text).toContain(`"payload":${payload},`);
    expect(body).not.toHaveProperty('sourceRunId');
    expect(body).not.toHaveProperty('endpointId');
    const none = await delivered({ eventKind: 'custom', runStatus: null, payload: 'null' });
    expect(await read(none.id)).toHaveProperty('payload', null);
  });

  test('has payloads of runs and steps as their runner wrote them', async () => {
    const error = String.raw`{"message":"\u0000 \ud800"}`;
    const runId = await insertRun(rest.engine, rest.projectId, { status: 'failed', error, result: null });
    await insertStep(rest.engine, runId, { index: 0, status: 'failed', error });
    const run = { runId, runStatus: 'failed', eventKind: 'run.failed' };
    const told = await rest.call(
      'GET',
      `/webhook-deliveries/${await insertDelivery(rest.engine, rest.projectId, run)}`,
    );
    expect(told.text).toContain(`"error":${error},`);
    const step = { runId, runStatus: 'running', eventKind: 'step.failed', stepIndex: 0, stepAttempt: 1 };
    const { text, body } = await rest.call(
      'GET',
      `/webhook-deliveries/${await insertDelivery(rest.engine, rest.projectId, step)}`,
    );
    expect(text).toContain(`"status":"failed","error":${error},"durationMs":0}`);
    expect(body.payload.run.status).toBe('running');
    expect(body.payload.run).not.toHaveProperty('error');
  });

  test('is delivering while an attempt is in flight, whatever is stored', async () => {
    for (const status of ['pending', 'failed']) {
      const { id } = await delivered({ status, nextAttemptAt: status === 'failed' ? new Date() : null });
      await insertWork(rest.engine, rest.projectId, id);
      expect((await read(id)).status).toBe(status);
      await rest.engine.db.query({
        text: 'update webhook_work set lease_id = $2 where delivery_id = $1',
        values: [id, newId()],
      });
      expect((await read(id)).status).toBe('delivering');
      expect(await read(id)).not.toHaveProperty('nextAttemptAt');
    }
  });

  test('is 404 for a missing id, a text that is no id, and an id of another project', async () => {
    const { secret } = await rest.stranger();
    const { id } = await delivered();
    for (const each of [newId(), 'nonsense']) {
      expect(await rest.call('GET', `/webhook-deliveries/${each}`)).toMatchObject(missing);
      expect(await rest.call('POST', `/webhook-deliveries/${each}/redeliver`)).toMatchObject(missing);
    }
    expect(await rest.call('GET', `/webhook-deliveries/${id}`, undefined, { key: secret })).toMatchObject(missing);
    expect(await rest.call('POST', `/webhook-deliveries/${id}/redeliver`, undefined, { key: secret })).toMatchObject(
      missing,
    );
  });
});

describe('GET /webhook-deliveries', () => {
  test('filters by each parameter, and by several together', async () => {
    const endpointId = await insertEndpoint(rest.engine, rest.projectId);
    const at = (n: number) => new Date(Date.parse('2025-01-01T00:00:00Z') + n * 1000);
    const base = { endpointId, app: 'filtered' };
    const one = await delivered({ ...base, createdAt: at(1), status: 'succeeded' });
    const two = await delivered({ ...base, createdAt: at(2), status: 'dead', eventKind: 'run.failed' });
    const three = await delivered({ ...base, createdAt: at(3), status: 'pending', app: 'other' });
    const four = await delivered({ ...base, createdAt: at(4), status: 'exhausted', endpointId: null });
    const five = await delivered({ ...base, createdAt: at(5), status: 'failed' });
    await insertWork(rest.engine, rest.projectId, five.id, { leaseId: newId() });
    const ids = async (query: string): Promise<string[]> =>
      (await rest.call('GET', `/webhook-deliveries?${query}`)).body.map(({ id }: { id: string }) => id);
    expect(await ids('app=filtered')).toEqual([five, four, two, one].map(({ id }) => id));
    expect(await ids(`endpointId=${endpointId}`)).toEqual([five, three, two, one].map(({ id }) => id));
    expect(await ids(`endpointId=${endpointId}&eventKind=run.failed`)).toEqual([two.id]);
    expect(await ids(`runId=${four.runId}`)).toEqual([four.id]);
    for (const [status, each] of [
      ['succeeded', one],
      ['dead', two],
      ['exhausted', four],
      ['delivering', five],
    ] as const)
      expect(await ids(`status=${status}&app=filtered`)).toEqual([each.id]);
    expect(await ids(`status=pending&app=other&endpointId=${endpointId}`)).toEqual([three.id]);
    expect(await ids('status=failed&app=filtered')).toEqual([]);
    const until = at(4).toISOString();
    expect(await ids(`endpointId=${endpointId}&since=${at(2).toISOString()}&until=${until}`)).toEqual([
      three.id,
      two.id,
    ]);
    expect(await ids(`endpointId=${endpointId}&runId=${newId()}`)).toEqual([]);
    for (const nothing of ['endpointId=x', 'runId=x', 'app=nobody']) expect(await ids(nothing)).toEqual([]);
  });

  test.each([
    ['status=lost', 'status must be one of pending, delivering, succeeded, failed, exhausted, dead'],
    ['eventKind=run.started', /^eventKind must be one of run.succeeded, .*custom$/],
    ['limit=0', /^limit must be an integer/],
    ['limit=x', /^limit must be an integer/],
    ['since=yesterday', /since/],
    ['until=2025-02-30', /until/],
    ['cursor=x', /cursor/],
  ])('refuses %s', async (query, error) => {
    const { status, body } = await rest.call('GET', `/webhook-deliveries?${query}`);
    expect(status).toBe(400);
    expect(body.error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error));
  });

  test('answers 30 by default and 200 at most, and a cursor while more exist', async () => {
    const { projectId, secret } = await rest.stranger();
    for (let n = 0; n < 205; n++)
      await insertDelivery(rest.engine, projectId, { payload: `${n}`, eventKind: 'custom' });
    const list = (query: string) => rest.call('GET', `/webhook-deliveries?${query}`, undefined, { key: secret });
    expect((await list('')).body).toHaveLength(30);
    const first = await list('limit=1000');
    expect(first.body).toHaveLength(200);
    const second = await list(`limit=1000&cursor=${first.headers.get('x-next-cursor')}`);
    expect(second.body.map(({ payload }: { payload: number }) => payload)).toEqual([4, 3, 2, 1, 0]);
    expect(second.headers.has('x-next-cursor')).toBe(false);
  });

  test('neither skips nor repeats a delivery while others are added, of one instant or many', async () => {
    const { projectId, secret } = await rest.stranger();
    const at = new Date('2026-05-05T00:00:00Z');
    const custom = { payload: '1', eventKind: 'custom', status: 'pending' } as const;
    const before: string[] = [];
    for (let n = 0; n < 20; n++)
      before.push(await insertDelivery(rest.engine, projectId, { ...custom, createdAt: at }));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/webhook-deliveries?status=pending&limit=3&cursor=${cursor}`;
      const page = await rest.call('GET', path, undefined, { key: secret });
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      cursor = page.headers.get('x-next-cursor');
      await insertDelivery(rest.engine, projectId, custom);
    }
    expect(seen).toEqual(before.sort().reverse());
  });

  test('a page of pending deliveries is full although others are in flight', async () => {
    const { projectId, secret } = await rest.stranger();
    const custom = { payload: '1', eventKind: 'custom' };
    const waiting: string[] = [];
    for (let n = 0; n < 40; n++) {
      const id = await insertDelivery(rest.engine, projectId, custom);
      const isInFlight = n % 4 !== 0;
      await insertWork(rest.engine, projectId, id, { leaseId: isInFlight ? newId() : null });
      if (!isInFlight) waiting.unshift(id);
    }
    const list = async (query: string) =>
      (await rest.call('GET', `/webhook-deliveries?${query}`, undefined, { key: secret })).body;
    expect((await list('status=pending&limit=8')).map(({ id }: { id: string }) => id)).toEqual(waiting.slice(0, 8));
    expect(await list('status=delivering')).toHaveLength(30);
  });
});

describe('POST /webhook-deliveries/{id}/redeliver', () => {
  const redeliver = (id: string, key?: string) =>
    rest.call('POST', `/webhook-deliveries/${id}/redeliver`, undefined, key === undefined ? {} : { key });
  const workOf = (deliveryId: string) => rest.engine.db.prisma.webhookWork.findUnique({ where: { deliveryId } });

  test.each(['pending', 'failed', 'succeeded', 'exhausted', 'dead'])(
    'makes a %s delivery due at once with a new budget, and keeps its log',
    async (status) => {
      const endpointId = await insertEndpoint(rest.engine, rest.projectId);
      const nextAttemptAt = status === 'failed' ? new Date('2030-01-01T00:00:00Z') : null;
      const { id } = await delivered({ status, endpointId, attemptCount: 3, nextAttemptAt });
      await insertAttempt(rest.engine, id, { attempt: 1 });
      if (status === 'pending' || status === 'failed')
        await insertWork(rest.engine, rest.projectId, id, {
          lane: endpointId,
          attempts: 3,
          dueAt: new Date('2030-01-01'),
        });
      const { status: answered, text } = await redeliver(id);
      expect([answered, text]).toEqual([204, '']);
      const after = await read(id);
      expect(after).toMatchObject({ status: 'pending', attemptCount: 3 });
      expect(after).not.toHaveProperty('nextAttemptAt');
      expect(after.attempts).toHaveLength(1);
      expect(await workOf(id)).toMatchObject({ lane: endpointId, attempts: 0, leaseId: null });
      expect((await workOf(id))?.dueAt.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
    },
  );

  test('is refused with 409 while an attempt is in flight, and changes nothing', async () => {
    const { id } = await delivered({ status: 'failed', attemptCount: 1 });
    await insertWork(rest.engine, rest.projectId, id, { attempts: 1, leaseId: newId() });
    const before = await workOf(id);
    expect(await redeliver(id)).toMatchObject({ status: 409, body: { error: 'webhook delivery is in flight' } });
    expect(await workOf(id)).toEqual(before);
  });

  test('is not for public keys', async () => {
    const { id } = await delivered({ status: 'dead' });
    expect((await redeliver(id, rest.keys.public)).status).toBe(403);
    expect(await workOf(id)).toBeNull();
    expect((await rest.call('GET', `/webhook-deliveries/${id}`, undefined, { key: rest.keys.public })).status).toBe(
      200,
    );
  });

  test('is allowed in a suspended project, as it starts no run', async () => {
    const { projectId, secret } = await rest.stranger();
    const id = await insertDelivery(rest.engine, projectId, { eventKind: 'custom', payload: '1', status: 'dead' });
    await rest.engine.db.prisma.project.update({ where: { id: projectId }, data: { suspendedAt: new Date() } });
    expect((await redeliver(id, secret)).status).toBe(204);
  });

  test('is audited with the name of the key', async () => {
    const { id, runId } = await delivered({ status: 'dead' });
    await redeliver(id);
    const { body } = await rest.call('GET', `/control-actions?action=redeliver_webhook&runId=${runId}`);
    expect(body).toMatchObject([
      { action: 'redeliver_webhook', runId, actor: 'a secret key', detail: { deliveryId: id } },
    ]);
  });

  test('puts a custom send back into the lane of its origin', async () => {
    const make = () =>
      delivered({ eventKind: 'custom', payload: '1', status: 'succeeded', url: 'https://a.test:444/x?y' });
    const [one, two] = [await make(), await make()];
    await redeliver(one.id);
    await redeliver(two.id);
    expect((await workOf(one.id))?.lane).toBe((await workOf(two.id))?.lane);
  });
});

test('a public key sees no query of an address', async () => {
  const { id } = await delivered({ url: 'https://receiver.test/hook?token=x' });
  expect((await read(id)).url).toBe('https://receiver.test/hook?token=x');
  const { body } = await rest.call('GET', `/webhook-deliveries/${id}`, undefined, { key: rest.keys.public });
  expect(body.url).toBe('https://receiver.test/hook?…');
});

describe('GET /webhook-endpoints/stats', () => {
  test('counts the deliveries of each endpoint in the window, in all and in buckets', async () => {
    const { projectId, secret } = await rest.stranger();
    const stats = async (query = '') =>
      (await rest.call('GET', `/webhook-endpoints/stats${query}`, undefined, { key: secret })).body;
    expect(await stats()).toEqual([]);
    const [busy, idle] = [await insertEndpoint(rest.engine, projectId), await insertEndpoint(rest.engine, projectId)];
    const hour = (n: number) => new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - n * 3_600_000);
    const deliver = (status: string, createdAt: Date) =>
      insertDelivery(rest.engine, projectId, { endpointId: busy, status, createdAt });
    const good = await deliver('succeeded', hour(2));
    const bad = await deliver('exhausted', hour(1));
    await deliver('pending', hour(1));
    await deliver('dead', hour(48));
    await insertDelivery(rest.engine, projectId, { eventKind: 'custom', payload: '1' });
    const log = { outcome: 'http_error', durationMs: 100 };
    await insertAttempt(rest.engine, bad, {
      ...log,
      attempt: 1,
      statusCode: 500,
      createdAt: new Date(1_700_000_000_000),
    });
    const late = new Date(1_800_000_000_000);
    await insertAttempt(rest.engine, bad, { ...log, attempt: 2, statusCode: 503, durationMs: 300, createdAt: late });
    await insertAttempt(rest.engine, good, { attempt: 1, statusCode: 200, durationMs: 100, createdAt: new Date(0) });
    const statuses = { total: 0, succeeded: 0, failed: 0, exhausted: 0, dead: 0, pending: 0 };
    const none = { ...statuses, attempts: 0, failedAttempts: 0 };
    expect(await stats()).toEqual([
      {
        endpointId: busy,
        ...none,
        total: 3,
        succeeded: 1,
        exhausted: 1,
        pending: 1,
        attempts: 3,
        failedAttempts: 2,
        p50Ms: 100,
        p95Ms: 280,
        lastAttemptAt: late.toISOString(),
        lastStatusCode: 503,
        buckets: [
          {
            ...{ bucket: hour(2).toISOString(), ...none, total: 1, succeeded: 1 },
            ...{ attempts: 1, p50Ms: 100, p95Ms: 100 },
          },
          {
            ...{ bucket: hour(1).toISOString(), ...none, total: 2, exhausted: 1, pending: 1 },
            ...{ attempts: 2, failedAttempts: 2, p50Ms: 200, p95Ms: 290 },
          },
        ],
      },
      { endpointId: idle, ...none, buckets: [] },
    ]);
    const [longer] = await stats(`?since=${hour(72).toISOString()}&bucket=${7 * 86_400}`);
    expect(longer).toMatchObject({ total: 4, dead: 1 });
    const only = await stats(`?endpointId=${busy}&until=${hour(1).toISOString()}`);
    expect(only).toEqual([expect.objectContaining({ endpointId: busy, total: 1, buckets: [expect.anything()] })]);
    const foreign = `/webhook-endpoints/stats?endpointId=${busy}`;
    expect((await rest.call('GET', foreign)).body).toEqual([]);
    expect(await stats('?endpointId=nonsense')).toEqual([]);
  });

  test.each(['since=x', 'bucket=0', 'bucket=x'])('refuses %s', async (query) => {
    expect((await rest.call('GET', `/webhook-endpoints/stats?${query}`)).status).toBe(400);
  });
});

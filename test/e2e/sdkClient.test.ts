import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Connection, eventType, Holdfast, type LoggedEvent, WaitTimeoutError } from '../../sdk/src/index.ts';
import { type Service, startService } from '../../src/service.ts';
import { loadSettings } from '../../src/settings.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

// The calls of the client that read, wait and write, against a service.

const orderPaid = eventType<{ cents: number }>('order.paid');
let database: TestDatabase;
let dataDir: string;
let service: Service;
let hf: Holdfast;
let connection: Connection;

const define = () => {
  hf.workflow({ id: 'gated', concurrency: { limit: 3 } }, () => null);
  hf.workflow({ id: 'sleeper' }, async ({ step }) => {
    await step.sleep('long', '1h');
  });
  hf.workflow({ id: 'broken', retry: { maxAttempts: 1 } }, () => {
    throw new Error('it broke');
  });
  return hf.workflow({ id: 'charge', triggers: [orderPaid] }, ({ event }) => ({ charged: event.data.cents }));
};
let charge: ReturnType<typeof define>;

const start = async (port: string): Promise<Service> =>
  startService(
    loadSettings({ DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: port, ALLOW_UNSAFE_DATABASE: 'true' }),
    pino({ level: process.env['TEST_LOG'] ?? 'silent' }),
  );

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'holdfast sdk '));
  service = await start('0');
  const { secretKey } = JSON.parse(await readFile(service.keysFile ?? '', 'utf8'));
  hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: secretKey, app: 'shop' });
  charge = define();
  connection = hf.connect({ runner: 'r1' });
  await connection.ready;
}, 60_000);

afterAll(async () => {
  await connection?.close();
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
  await database?.drop();
});

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe('a start that is waited for', () => {
  it('gives the finished run with its typed result, and the same run for a repeat', async () => {
    const options = { input: { cents: 42 }, dedupeId: 'waited for', timeoutMs: 30_000 };
    const run = await hf.workflows.triggerAndWait(charge, options);
    expect(run).toMatchObject({ status: 'succeeded', workflow: 'charge' });
    expect(run.result?.charged).toBe(42);
    expect(await hf.workflows.triggerAndWait(charge, options)).toEqual(run);
  });

  it('gives a run that failed as runs.wait does', async () => {
    const run = await hf.workflows.triggerAndWait({ name: 'broken' }, { timeoutMs: 30_000 });
    expect(run).toMatchObject({ status: 'failed', error: { message: 'it broke' } });
  });

  it('throws after its time, and for a name that nobody registered', async () => {
    const late = hf.workflows.triggerAndWait({ name: 'sleeper' }, { timeoutMs: 100 });
    await expect(late).rejects.toThrow(WaitTimeoutError);
    await expect(hf.workflows.triggerAndWait({ name: 'nobody' })).rejects.toMatchObject({ status: 404 });
    await expect(hf.workflows.triggerAndWait({ name: 'charge' }, { timeoutMs: -1 })).rejects.toThrow('timeoutMs');
  });
});

describe('events', () => {
  it('that are sent together start their runs, and are read and listed with them', async () => {
    const sent = await hf.events.send([
      { name: orderPaid, data: { cents: 1 } },
      { name: orderPaid, data: { cents: 2 }, dedupeId: 'twice' },
      { name: orderPaid, data: { cents: 3 }, dedupeId: 'twice' },
      { name: 'nobody.listens', tags: { tenant: 'acme' } },
    ]);
    expect(sent.map(({ triggered, deduped = false }) => [triggered.length, deduped])).toEqual([
      [1, false],
      [1, false],
      [0, true],
      [0, false],
    ]);
    const [first] = sent;
    const read = await hf.events.get<{ cents: number }>(first?.eventId ?? '');
    expect(read).toMatchObject({ name: 'order.paid', app: 'shop', source: 'api', data: { cents: 1 }, woke: 0 });
    expect(read.triggered).toEqual([{ app: 'shop', workflow: 'charge', runId: first?.runId }]);
    const listed = await all(hf.events.list({ app: 'shop', pageSize: 2 }));
    expect(listed.map(({ id }) => id)).toEqual([sent[3]?.eventId, sent[1]?.eventId, sent[0]?.eventId]);
    expect(await all(hf.events.list({ name: 'nobody.listens' }))).toMatchObject([{ tags: { tenant: 'acme' } }]);
  });

  it('that are refused name the bad one, and none is recorded', async () => {
    const bad = { name: 'refused', targetApp: 'nowhere' };
    await expect(hf.events.send([{ name: 'refused' }, bad])).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('events[1]: event names an unregistered workflow'),
    });
    expect(await all(hf.events.list({ name: 'refused' }))).toEqual([]);
  });

  it('are followed from now on, over a restart of the service', async () => {
    const seen: LoggedEvent[] = [];
    const abort = new AbortController();
    const following = (async () => {
      for await (const event of hf.events.stream({ name: 'followed', signal: abort.signal })) seen.push(event);
    })().catch((cause: unknown) => cause);
    // A stream that is known to be open.
    await vi.waitFor(
      async () => {
        await hf.events.send({ name: 'followed', data: 'first' });
        expect(seen.length).toBeGreaterThan(0);
      },
      { timeout: 30_000, interval: 200 },
    );
    const { port } = new URL(service.baseUrl);
    await service.stop();
    service = await start(port);
    const sent = await hf.events.send([
      { name: 'followed', data: 1 },
      { name: 'other' },
      { name: 'followed', data: 2 },
    ]);
    const ids = [sent[0]?.eventId, sent[2]?.eventId];
    await vi.waitFor(() => expect(seen.map(({ id }) => id).slice(-2)).toEqual(ids), { timeout: 30_000 });
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
    abort.abort(new Error('enough'));
    expect(await following).toMatchObject({ message: 'enough' });
  }, 90_000);
});

describe('lists', () => {
  it('of workflows, apps and runners hold what was registered', async () => {
    expect((await hf.workflows.list()).map(({ app, name }) => `${app} ${name}`)).toEqual([
      'shop broken',
      'shop charge',
      'shop gated',
      'shop sleeper',
    ]);
    expect((await hf.workflows.list())[2]).toMatchObject({ flowControl: { concurrency: { limit: 3 } } });
    expect(await hf.apps.list()).toMatchObject([{ name: 'shop', createdAt: expect.any(String) }]);
    await vi.waitFor(
      async () => expect(await hf.runners.list({ app: 'shop' })).toMatchObject([{ runnerId: 'r1', live: true }]),
      { timeout: 30_000 },
    );
    expect(await hf.runners.list({ app: 'nowhere' })).toEqual([]);
  });

  it('of sessions sum up their runs', async () => {
    await hf.events.send([1, 2].map((cents) => ({ name: orderPaid, data: { cents }, session: 'chat-1' })));
    const [session] = await hf.sessions.list({ app: 'shop', since: new Date(0), limit: 1 });
    expect(session).toMatchObject({ session: 'chat-1', runs: 2, workflows: ['charge'] });
  });

  it('of flow control show scopes', async () => {
    const { scopes } = await hf.workflows.flowState({ workflow: 'gated' });
    expect(scopes).toEqual([{ app: 'shop', workflow: 'gated', limit: 3, inUse: 0, waiting: 0 }]);
  });
});

describe('many runs', () => {
  it('are counted by status and by time', async () => {
    const tags = { batch: 'counted' };
    await hf.events.send([1, 2, 3].map((cents) => ({ name: orderPaid, data: { cents }, tags })));
    await vi.waitFor(
      async () =>
        expect(await hf.runs.stats({ tags })).toMatchObject({
          total: 3,
          byStatus: { succeeded: 3, failed: 0, needs_attention: 0 },
          p50Ms: expect.any(Number),
        }),
      { timeout: 30_000 },
    );
    const buckets = await hf.runs.timeseries({ workflow: 'charge', since: new Date(0), bucket: 3600 });
    const { total } = await hf.runs.stats({ workflow: 'charge' });
    expect(buckets.reduce((sum, bucket) => sum + bucket.total, 0)).toBe(total);
  });

  it('are cancelled and replayed in bulk, which the audit log tells', async () => {
    const tags = { bulk: '1' };
    for (let n = 0; n < 3; n += 1) await hf.workflows.trigger({ name: 'sleeper' }, { tags });
    expect(await hf.runs.bulkCancel({ workflow: 'sleeper', tags })).toMatchObject({
      matched: 3,
      cancelled: 3,
      skipped: 0,
      failed: 0,
      failures: [],
      capped: false,
    });
    const [, first] = await all(hf.runs.list({ workflow: 'charge' }));
    const replayed = await hf.runs.bulkReplay({ workflow: 'charge', until: first?.createdAt, status: 'succeeded' });
    expect(replayed).toMatchObject({ failed: 0, capped: false });
    expect(replayed.replayed).toBe(replayed.matched);
    const actions = await all(hf.controlActions.list({ pageSize: 1 }));
    expect(actions.map(({ action }) => action)).toEqual(['bulk_replay', 'bulk_cancel']);
    await expect(hf.runs.bulkCancel({})).rejects.toMatchObject({ status: 400 });
  });
});

import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEngine } from '../../../../src/engine/assembly/createEngine.ts';
import type { BusEvents } from '../../../../src/engine/bus.ts';
import type { EngineContext } from '../../../../src/engine/context.ts';
import type { Database } from '../../../../src/engine/db/database.ts';
import { onFailPoint } from '../../../../src/engine/db/failPoints.ts';
import { openDatabase } from '../../../../src/engine/db/pool/open.ts';
import { HoldfastError } from '../../../../src/engine/errors.ts';
import { newId } from '../../../../src/engine/ids.ts';
import {
  type RedeliverFilter,
  redeliverDelivery,
  redeliverMany,
} from '../../../../src/engine/webhooks/deliveries/index.ts';
import { createTestProject, useEngine } from '../../../support/engine.ts';
import { somebodyWaits } from '../../../support/lockWaits.ts';
import { insertAttempt, insertDelivery, insertEndpoint, insertWork } from './scene.ts';

const on = useEngine();
let otherDb: Database;
/** A second process, as it were. */
let other: EngineContext;
let projectId: string;
let endpointId: string;

beforeAll(async () => {
  otherDb = await openDatabase({ url: on.url, applicationName: 'holdfast test' });
  other = createEngine({ db: otherDb, log: pino({ level: 'silent' }) });
  projectId = await createTestProject(on.engine);
  endpointId = await insertEndpoint(on.engine, projectId);
});
afterEach(() => onFailPoint(undefined));
afterAll(() => otherDb.close());

const workOf = (deliveryId: string) => on.db.prisma.webhookWork.findUnique({ where: { deliveryId } });
const statusOf = async (id: string) => (await on.db.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } })).status;

const redeliver = (deliveryId: string, engine = on.engine): Promise<string> =>
  redeliverDelivery(engine, { projectId, deliveryId, actor: 'a key' }).then(
    () => 'redelivered',
    (error) => (error instanceof HoldfastError ? error.message : Promise.reject(error)),
  );

/** What a sender does to attempt a delivery. */
const claimText = `update webhook_work set lease_id = $2, claim_no = claim_no + 1
  where delivery_id = (select delivery_id from webhook_work where delivery_id = $1 and lease_id is null for update skip locked)
  returning delivery_id`;

/** A delivery that waits for its retry. */
async function failed(): Promise<string> {
  const id = await insertDelivery(on.engine, projectId, { endpointId, status: 'failed', attemptCount: 1 });
  await insertAttempt(on.engine, id, { attempt: 1, outcome: 'timeout' });
  await insertWork(on.engine, projectId, id, { lane: endpointId, attempts: 1, dueAt: new Date('2030-01-01') });
  return id;
}

describe('a redelivery that races with a claim', () => {
  test('is refused if the claim comes first, also where it is not committed yet', async () => {
    const id = await failed();
    const client = await on.db.pool.connect();
    await client.query('begin');
    await client.query(claimText, [id, newId()]);
    const refused = redeliver(id, other);
    await somebodyWaits(on.db);
    await client.query('commit');
    client.release();
    expect(await refused).toBe('webhook delivery is in flight');
    expect(await workOf(id)).toMatchObject({ attempts: 1, claimNo: 1, dueAt: new Date('2030-01-01') });
    expect(await statusOf(id)).toBe('failed');
  });

  test('happens if the claim rolls back', async () => {
    const id = await failed();
    const client = await on.db.pool.connect();
    await client.query('begin');
    await client.query(claimText, [id, newId()]);
    const made = redeliver(id, other);
    await somebodyWaits(on.db);
    await client.query('rollback');
    client.release();
    expect(await made).toBe('redelivered');
    expect(await workOf(id)).toMatchObject({ attempts: 0, leaseId: null });
  });

  test('wins if it comes first: the claim passes by, and finds a new budget afterwards', async () => {
    const id = await failed();
    let claimed: number | null | undefined;
    await on.db.transaction(async (tx) => {
      const engine = { ...on.engine, db: { ...on.db, query: tx.query.bind(tx) as Database['query'] } };
      expect(await redeliver(id, engine)).toBe('redelivered');
      claimed = (await otherDb.query({ text: claimText, values: [id, newId()] })).rowCount;
    });
    expect(claimed).toBe(0);
    expect((await otherDb.query({ text: claimText, values: [id, newId()] })).rowCount).toBe(1);
    expect(await workOf(id)).toMatchObject({ attempts: 0, claimNo: 1 });
    expect(await statusOf(id)).toBe('pending');
    expect(await redeliver(id)).toBe('webhook delivery is in flight');
  });
});

test('a redelivery that meets the end of the last attempt either is refused or makes it due', async () => {
  const id = await failed();
  await on.db.query({ text: 'update webhook_work set lease_id = $2 where delivery_id = $1', values: [id, newId()] });
  const client = await on.db.pool.connect();
  await client.query('begin');
  await client.query('delete from webhook_work where delivery_id = $1', [id]);
  await client.query(`update webhook_delivery set status = 'succeeded', attempt_count = 2 where id = $1`, [id]);
  const made = redeliver(id, other);
  await somebodyWaits(on.db);
  await client.query('commit');
  client.release();
  expect(await made).toBe('redelivered');
  expect(await workOf(id)).toMatchObject({ attempts: 0, leaseId: null, lane: endpointId });
  const { status, attemptCount } = await on.db.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });
  expect([status, attemptCount]).toEqual(['pending', 2]);
});

test('two redeliveries at once both succeed, and leave one row of work', async () => {
  const id = await insertDelivery(on.engine, projectId, { endpointId, status: 'exhausted' });
  expect(await Promise.all([redeliver(id), redeliver(id, other)])).toEqual(['redelivered', 'redelivered']);
  expect(await on.db.prisma.webhookWork.count({ where: { deliveryId: id } })).toBe(1);
});

test('a redelivery wakes the senders, and tells of the change', async () => {
  const id = await failed();
  const heard: unknown[] = [];
  const leave = [
    on.engine.bus.on('delivery.due', () => heard.push('due')),
    on.engine.bus.on('delivery.changed', (change: BusEvents['delivery.changed']) => heard.push(change)),
  ];
  await redeliver(id);
  for (const each of leave) each();
  expect(heard).toEqual(['due', { projectId, deliveryId: id }]);
});

describe('redeliverWebhooks', () => {
  const many = async (filter: RedeliverFilter, project = projectId) => {
    const { id, ...counts } = await redeliverMany(on.engine, { projectId: project, actor: 'a key', filter });
    expect(id).toEqual(expect.any(String));
    return counts;
  };

  async function scene() {
    const project = await createTestProject(on.engine);
    const endpoint = await insertEndpoint(on.engine, project);
    const make = async (status: string, more: Parameters<typeof insertDelivery>[2] = {}): Promise<string> =>
      insertDelivery(on.engine, project, { endpointId: endpoint, status, ...more });
    return { project, endpoint, make };
  }

  test('takes what did not arrive unless statuses are given, and skips what is in flight', async () => {
    const { project, endpoint, make } = await scene();
    const [exhausted, dead, succeeded, inFlight] = [
      await make('exhausted'),
      await make('dead'),
      await make('succeeded'),
      await make('failed'),
    ];
    await insertWork(on.engine, project, inFlight, { leaseId: newId() });
    const counts = await many({ endpointId: endpoint }, project);
    expect(counts).toEqual({ matched: 3, redelivered: 2, skipped: 1, capped: false });
    expect(await Promise.all([exhausted, dead, succeeded, inFlight].map(statusOf))).toEqual([
      'pending',
      'pending',
      'succeeded',
      'failed',
    ]);
    expect(await many({ statuses: ['succeeded'] }, project)).toMatchObject({ matched: 1, redelivered: 1 });
  });

  test('keeps to its window, its endpoint and its project', async () => {
    const { project, endpoint, make } = await scene();
    const at = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + n * 1000);
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push(await make('dead', { createdAt: at(n) }));
    const custom = await make('dead', { endpointId: null, eventKind: 'custom', payload: '1', createdAt: at(2) });
    const stranger = await insertDelivery(on.engine, projectId, {
      endpointId: endpoint,
      status: 'dead',
      createdAt: at(2),
    });
    expect(await many({ endpointId: endpoint, since: at(1), until: at(3) }, project)).toMatchObject({ redelivered: 2 });
    expect(await Promise.all(made.map(statusOf))).toEqual(['dead', 'pending', 'pending', 'dead', 'dead']);
    expect(await statusOf(custom)).toBe('dead');
    expect(await many({ since: at(0), statuses: ['dead'] }, project)).toMatchObject({ matched: 4, redelivered: 4 });
    expect(await statusOf(custom)).toBe('pending');
    expect(await statusOf(stranger)).toBe('dead');
    for (const nobody of [newId(), 'x'])
      expect(await many({ endpointId: nobody }, project)).toEqual({
        matched: 0,
        redelivered: 0,
        skipped: 0,
        capped: false,
      });
  });

  test('takes the newest 1000, and says that more match', async () => {
    const { project, endpoint, make } = await scene();
    const oldest = await make('exhausted', { createdAt: new Date('2025-01-01') });
    await on.db.query({
      text: `insert into webhook_delivery (id, project_id, app, endpoint_id, url, event_kind, status)
             select uuidv7(), $1, 'shop', $2, 'https://receiver.test', 'run.failed', 'exhausted' from generate_series(1, 1000)`,
      values: [project, endpoint],
    });
    const filter = { endpointId: endpoint, statuses: ['exhausted'] } as const;
    expect(await many(filter, project)).toEqual({ matched: 1001, redelivered: 1000, skipped: 0, capped: true });
    expect(await statusOf(oldest)).toBe('exhausted');
    expect(await many(filter, project)).toEqual({ matched: 1, redelivered: 1, skipped: 0, capped: false });
  });

  test('is refused without a filter', async () => {
    for (const none of [{}, { statuses: [] }, { endpointId: '', since: null }, { deliveryIds: [] }])
      await expect(many(none)).rejects.toMatchObject({ kind: 'invalid', message: /at least one filter/ });
    // An unset variable of a script must not widen the choice to all deliveries of the project.
    for (const name of ['runId', 'endpointId', 'app'])
      await expect(many({ [name]: '', statuses: ['dead'] })).rejects.toMatchObject({
        kind: 'invalid',
        message: `${name} must not be empty`,
      });
  });

  test('is audited with its filter and its counts', async () => {
    const { project, endpoint, make } = await scene();
    await make('dead');
    const call = { projectId: project, actor: 'a key', filter: { endpointId: endpoint } };
    const { id } = await redeliverMany(on.engine, call);
    const [entry] = await on.db.prisma.controlAction.findMany({ where: { projectId: project } });
    expect(entry).toMatchObject({
      id,
      action: 'bulk_redeliver',
      actor: 'a key',
      detail: {
        filter: { endpointId: endpoint, statuses: ['failed', 'exhausted', 'dead'] },
        ...{ matched: 1, redelivered: 1, skipped: 0, capped: false },
      },
    });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { updateProject } from '../../../src/engine/projects/index.ts';
import { deleteSource, updateSource } from '../../../src/engine/webhooks/config/index.ts';
import { createTestSource, serviceHeaders, type TestSource } from '../../support/webhookSources.ts';
import { type Answered, type RestServer, startRest } from '../restServer.ts';

let rest: RestServer;
let source: TestSource;

beforeAll(async () => {
  rest = await startRest();
  await rest.call('POST', '/register', {
    app: 'shop',
    runner: 'r1',
    url: 'http://127.0.0.1:9/',
    workflows: [
      { name: 'ship', triggers: [{ event: 'order.paid' }] },
      { name: 'gated', triggers: [{ event: 'gated' }], singleton: { mode: 'skip', key: 'customer' } },
      { name: 'limited', triggers: [{ event: 'gated' }], rateLimit: { limit: 1, perMs: 60_000 } },
    ],
  });
});
afterAll(() => rest.close());
beforeEach(async () => {
  source = await createTestSource(rest.engine, rest.projectId, { dedupeKey: 'order.id' });
});

const send = (data: unknown, to = source): Promise<Answered> => {
  const body = typeof data === 'string' ? data : JSON.stringify(data);
  return rest.call('POST', to.path, body, { key: null, headers: serviceHeaders(to.secret, body) });
};
const order = (id: unknown, more: object = {}) => ({ order: { id, ...more } });
const update = (change: object) =>
  updateSource(rest.engine, { projectId: rest.projectId, actor: 'a test', id: source.id, ...change });
const events = (name: string): Promise<number> =>
  rest.engine.db.prisma.event.count({ where: { projectId: rest.projectId, name } });
const detail = async (id: string): Promise<Answered['body']> =>
  (await rest.call('GET', `/webhook-source-deliveries/${id}`)).body;
const replay = (id: string, key?: string): Promise<Answered> =>
  rest.call('POST', `/webhook-source-deliveries/${id}/replay`, undefined, key === undefined ? {} : { key });

describe('dedupeKey', () => {
  test('drops a message whose value was seen: 202, recorded as deduped, no event', async () => {
    expect(await send(order(7))).toMatchObject({ status: 202, body: { status: 'ingested' } });
    const { status, body } = await send(order(7, { again: true }));
    expect({ status, body }).toEqual({ status: 202, body: { deliveryId: expect.any(String), status: 'deduped' } });
    expect(await detail(body.deliveryId)).toMatchObject({ status: 'deduped', attempts: [{ status: 'deduped' }] });
    expect(await send(order(8))).toMatchObject({ body: { status: 'ingested' } });
  });

  test('holds for one source, and for scalars only: a missing field is not deduplicated', async () => {
    const other = await createTestSource(rest.engine, rest.projectId, { dedupeKey: 'order.id' });
    for (const id of ['a', true, '12345678901234567890']) {
      expect(await send(order(id))).toMatchObject({ body: { status: 'ingested' } });
      expect(await send(order(id))).toMatchObject({ body: { status: 'deduped' } });
      expect(await send(order(id), other)).toMatchObject({ body: { status: 'ingested' } });
    }
    expect(await send('{"order":{"id":12345678901234567891}}')).toMatchObject({ body: { status: 'ingested' } });
    expect(await send('{"order":{"id":12345678901234567892}}')).toMatchObject({ body: { status: 'ingested' } });
    for (const data of [{}, order(null), order({ a: 1 }), order([1]), { order: 1 }, [], null])
      for (const _ of [1, 2]) expect(await send(data)).toMatchObject({ body: { status: 'ingested' } });
  });

  test('of twenty repeats at once lets one through', async () => {
    for (const eventName of ['raced', 'gated']) {
      await update({ eventName });
      const before = await events(eventName);
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(order(`race ${eventName}`))));
      const statuses = answers.map(({ body }) => body.status);
      expect(statuses.filter((status) => status === 'ingested')).toHaveLength(1);
      expect(statuses.filter((status) => status === 'deduped')).toHaveLength(19);
      expect((await events(eventName)) - before).toBe(1);
    }
    const where = { sourceId: source.id };
    expect(await rest.engine.db.prisma.webhookSourceDelivery.count({ where })).toBe(40);
  });
});

test('flow control decides about the runs of a message as about those of an event', async () => {
  source = await createTestSource(rest.engine, rest.projectId, { eventName: 'gated' });
  const first = await send({ customer: 'c1' });
  const second = await send({ customer: 'c1' });
  expect(first).toMatchObject({ status: 202, body: { status: 'ingested', runId: expect.any(String) } });
  expect(second).toMatchObject({ status: 202, body: { status: 'ingested' } });
  expect(second.body).not.toHaveProperty('runId');
  expect((await rest.call('GET', `/events/${second.body.eventId}`)).body).toMatchObject({
    triggered: [
      { workflow: 'gated', skipped: true, existingRunId: expect.any(String) },
      { workflow: 'limited', dropped: true },
    ],
  });
});

describe('a replay', () => {
  test('makes the stored message an event again, and appends an attempt; the status stays', async () => {
    await update({ dedupeKey: null });
    const { deliveryId, eventId } = (await send(order(1))).body;
    const answer = await replay(deliveryId);
    expect(answer).toMatchObject({
      status: 200,
      body: { deliveryId, status: 'ingested', eventId: expect.any(String), runId: expect.any(String) },
    });
    expect(answer.body.eventId).not.toBe(eventId);
    expect(await detail(deliveryId)).toMatchObject({
      status: 'ingested',
      eventId,
      attempts: [
        { attempt: 1, trigger: 'initial', eventId },
        {
          attempt: 2,
          trigger: 'replay',
          status: 'ingested',
          eventId: answer.body.eventId,
          runId: answer.body.runId,
          actor: 'a secret key',
        },
      ],
    });
    expect((await rest.call('GET', `/events/${answer.body.eventId}`)).body).toMatchObject({
      source: 'webhook',
      data: order(1),
    });
  });

  test('runs the present mapping and dedupeKey: it can dedupe, and a deduped one can be ingested', async () => {
    const { deliveryId } = (await send(order(2))).body;
    expect((await replay(deliveryId)).body).toEqual({ deliveryId, status: 'deduped' });
    const repeat = (await send(order(2))).body;
    await update({ dedupeKey: null, eventName: 'order.again' });
    const { body } = await replay(repeat.deliveryId);
    expect(body).toEqual({ deliveryId: repeat.deliveryId, status: 'ingested', eventId: expect.any(String) });
    expect((await rest.call('GET', `/events/${body.eventId}`)).body).toMatchObject({ name: 'order.again' });
    expect(await detail(repeat.deliveryId)).toMatchObject({
      status: 'deduped',
      attempts: [{ status: 'deduped' }, { status: 'ingested' }],
    });
  });

  test('is audited, with the run that it started', async () => {
    await update({ dedupeKey: null });
    const { deliveryId } = (await send(order(3))).body;
    const { runId } = (await replay(deliveryId)).body;
    const { body } = await rest.call('GET', '/control-actions?action=replay_webhook_delivery&limit=1');
    expect(body).toMatchObject([
      {
        action: 'replay_webhook_delivery',
        actor: 'a secret key',
        newRunId: runId,
        detail: { deliveryId, sourceId: source.id, status: 'ingested' },
      },
    ]);
  });

  test('of ten at once: the attempts have no gap and no double number', async () => {
    await update({ dedupeKey: null });
    const { deliveryId } = (await send(order(4))).body;
    const answers = await Promise.all(Array.from({ length: 10 }, () => replay(deliveryId)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const { attempts } = await detail(deliveryId);
    expect(attempts.map(({ attempt }: { attempt: number }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(new Set(attempts.map(({ eventId }: { eventId: string }) => eventId)).size).toBe(11);
  });

  test('of a message that never was an event answers 409, of an unknown one 404', async () => {
    await rest.call('POST', source.path, '{}', { key: null });
    await send('no JSON');
    const listed = (await rest.call('GET', `/webhook-source-deliveries?source=${source.id}`)).body;
    expect(listed.map(({ status }: { status: string }) => status)).toEqual(['invalid', 'unauthorized']);
    for (const { id } of listed)
      expect(await replay(id)).toMatchObject({ status: 409, body: { error: 'webhook delivery was not verified' } });
    for (const id of [source.id, 'nothing'])
      expect(await replay(id)).toMatchObject({ status: 404, body: { error: 'webhook delivery not found' } });
  });

  test('answers 404 when the source is gone; its messages stay listed', async () => {
    const { deliveryId } = (await send(order(5))).body;
    await deleteSource(rest.engine, { projectId: rest.projectId, actor: 'a test', id: source.id });
    expect(await replay(deliveryId)).toMatchObject({ status: 404, body: { error: 'webhook source not found' } });
    expect(await detail(deliveryId)).toMatchObject({ status: 'ingested' });
  });

  test('works for a disabled source, as an operator asks for it', async () => {
    await update({ dedupeKey: null });
    const { deliveryId } = (await send(order(6))).body;
    await update({ enabled: false });
    expect(await replay(deliveryId)).toMatchObject({ status: 200, body: { status: 'ingested' } });
  });

  test('answers 403 in a suspended project, and writes nothing', async () => {
    const stranger = await rest.stranger();
    source = await createTestSource(rest.engine, stranger.projectId);
    const { deliveryId } = (await send('{}')).body;
    await updateProject(rest.engine, { id: stranger.projectId, suspended: true });
    expect(await replay(deliveryId, stranger.secret)).toMatchObject({
      status: 403,
      body: { error: 'project is suspended' },
    });
    expect(await rest.engine.db.prisma.webhookSourceAttempt.count({ where: { deliveryId } })).toBe(1);
  });

  test('needs a full-access key of the project', async () => {
    const { deliveryId } = (await send(order(7))).body;
    expect(await replay(deliveryId, rest.keys.public)).toMatchObject({ status: 403 });
    const stranger = await rest.stranger();
    expect(await replay(deliveryId, stranger.secret)).toMatchObject({ status: 404 });
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ManualClock } from '../../../src/engine/clock.ts';
import { createTestSource, serviceHeaders, type TestSource } from '../../support/webhookSources.ts';
import { type Answered, type RestServer, startRest } from '../restServer.ts';

const clock = new ManualClock();
const day = 86_400_000;
let rest: RestServer;

beforeAll(async () => {
  rest = await startRest({ clock });
  await rest.call('POST', '/register', {
    app: 'shop',
    runner: 'r1',
    url: 'http://127.0.0.1:9/',
    workflows: [{ name: 'ship', triggers: [{ event: 'order.paid' }] }],
  });
});
afterAll(() => rest.close());

const send = (to: TestSource, body: string, headers: Record<string, string> = {}): Promise<Answered> => {
  const signature = serviceHeaders(to.secret, body, clock.now().getTime());
  return rest.call('POST', to.path, body, { key: null, headers: { ...signature, ...headers } });
};
const list = (query: string, key = rest.keys.public): Promise<Answered> =>
  rest.call('GET', `/webhook-source-deliveries?${query}`, undefined, { key });

test('the list filters by source and status, pages by X-Next-Cursor, and shows no body', async () => {
  const source = await createTestSource(rest.engine, rest.projectId);
  const other = await createTestSource(rest.engine, rest.projectId);
  const sent: string[] = [];
  for (const body of ['1', 'no JSON', '2']) sent.unshift((await send(source, body)).body.deliveryId);
  await send(other, '3');
  const pages: string[][] = [];
  for (let cursor = ''; ; ) {
    const { body, headers } = await list(`source=${source.id}&limit=2${cursor}`);
    pages.push(body.map(({ id }: { id: string }) => id));
    for (const each of body)
      for (const part of ['body', 'requestHeaders', 'attempts']) expect(each).not.toHaveProperty(part);
    const next = headers.get('x-next-cursor');
    if (next === null) break;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
  expect(pages).toEqual([sent.slice(0, 2), sent.slice(2)]);
  expect((await list(`source=${source.id}&status=invalid`)).body).toMatchObject([{ id: sent[1], status: 'invalid' }]);
  const { secret } = await rest.stranger();
  expect((await list(`source=${source.id}`, secret)).body).toEqual([]);
  expect((await list('limit=100000')).status).toBe(200);
});

test.each([
  ['status=verified', 'status must be one of ingested, deduped, unauthorized, invalid, too_large, misconfigured'],
  ['limit=0', expect.stringContaining('limit must be an integer from 1')],
  ['limit=1.5', expect.stringContaining('limit must be an integer from 1')],
  ['limit=many', expect.stringContaining('limit must be an integer from 1')],
  ['cursor=mangled', expect.stringContaining('cursor is damaged')],
])('the list refuses %s with 400', async (query, error) => {
  expect(await list(query)).toMatchObject({ status: 400, body: { error } });
});

test('a value of dedupeKey is free again after 24 hours, also for a replay', async () => {
  const source = await createTestSource(rest.engine, rest.projectId, { dedupeKey: 'id' });
  const first = await send(source, '{"id":1}');
  const replay = (): Promise<Answered> =>
    rest.call('POST', `/webhook-source-deliveries/${first.body.deliveryId}/replay`);
  clock.advance(day - 1_000);
  expect(await send(source, '{"id":1}')).toMatchObject({ status: 202, body: { status: 'deduped' } });
  expect(await replay()).toMatchObject({ status: 200, body: { status: 'deduped' } });
  clock.advance(1_001);
  expect(await replay()).toMatchObject({ status: 200, body: { status: 'ingested' } });
  expect(await send(source, '{"id":1}')).toMatchObject({ status: 202, body: { status: 'deduped' } });
});

test('the replay of a run keeps the headers and the trace context of its message, alone and in bulk', async () => {
  const source = await createTestSource(rest.engine, rest.projectId, { exposeHeaders: ['x-topic'] });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const { runId } = (await send(source, '{}', { 'x-topic': 'paid', traceparent })).body;
  await rest.call('POST', `/runs/${runId}/cancel`);
  await rest.call('POST', `/runs/${runId}/replay`);
  await rest.call('POST', '/runs/bulk-replay', { status: 'cancelled' });
  const replays = await rest.engine.db.prisma.run.findMany({ where: { replayOf: runId } });
  expect(replays).toHaveLength(2);
  for (const { envelope } of replays) expect(envelope).toEqual({ headers: { 'x-topic': 'paid' }, traceparent });
});

test('a source takes a free name only, and rotates inside the overlap when it is forced', async () => {
  const create = async (name: string): Promise<string> =>
    (await rest.call('POST', '/webhook-sources', { eventName: 'x', name })).body.id;
  const [id] = [await create('free'), await create('taken')];
  const patch = (change: object): Promise<Answered> => rest.call('PATCH', `/webhook-sources/${id}`, change);
  expect(await patch({ name: 'taken' })).toMatchObject({
    status: 409,
    body: { error: 'webhook source name already in use' },
  });
  await patch({ rotateSecret: true });
  expect(await patch({ secret: 'a third secret' })).toMatchObject({
    status: 409,
    body: { error: 'secret rotation in progress' },
  });
  expect(await patch({ secret: 'a third secret', force: true })).toMatchObject({
    status: 200,
    body: { secret: 'a third secret', previousSecretUntil: expect.any(String) },
  });
  const revoked = await patch({ revokePrevious: true });
  expect(revoked.status).toBe(200);
  for (const name of ['secret', 'previousSecretUntil']) expect(revoked.body).not.toHaveProperty(name);
});

import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flushDueBuffers } from '../../../src/engine/admission/index.ts';
import { createTestSource, serviceHeaders, type TestSource } from '../../support/webhookSources.ts';
import { type Answered, type RestServer, startRest } from '../restServer.ts';

let rest: RestServer;
beforeAll(async () => {
  rest = await startRest();
  await rest.call('POST', '/register', {
    app: 'shop',
    runner: 'r1',
    url: 'http://127.0.0.1:9/',
    workflows: [
      { name: 'ship', triggers: [{ event: 'order.*', if: 'event.headers["x-topic"] == "paid"' }] },
      { name: 'late', triggers: [{ event: 'late' }], debounce: { periodMs: 1 } },
    ],
  });
});
afterAll(() => rest.close());

const send = (to: TestSource, headers: Record<string, string> = {}, body = '{}'): Promise<Answered> =>
  rest.call('POST', to.path, body, { key: null, headers: { ...serviceHeaders(to.secret, body), ...headers } });
const sourceOf = (more: object): Promise<TestSource> => createTestSource(rest.engine, rest.projectId, more);
const runOf = (id: string) => rest.engine.db.prisma.run.findUniqueOrThrow({ where: { id } });
const detail = async (id: string, key = rest.keys.secret): Promise<Answered['body']> =>
  (await rest.call('GET', `/webhook-source-deliveries/${id}`, undefined, { key })).body;

describe('exposeHeaders', () => {
  test('come along as event.headers: on the event, on its run and in guards', async () => {
    const source = await sourceOf({ exposeHeaders: ['X-Topic', 'x-absent'] });
    const { body } = await send(source, { 'x-topic': 'paid', 'x-other': 'y' });
    expect((await rest.call('GET', `/events/${body.eventId}`)).body).toMatchObject({
      headers: { 'x-topic': 'paid' },
      triggered: [{ workflow: 'ship', runId: body.runId }],
    });
    expect((await runOf(body.runId)).envelope).toEqual({ headers: { 'x-topic': 'paid' } });
    const other = (await send(source, { 'x-topic': 'moved' })).body;
    expect((await rest.call('GET', `/events/${other.eventId}`)).body).toMatchObject({
      headers: { 'x-topic': 'moved' },
      triggered: [],
    });
  });

  test('that are not named stay away', async () => {
    const { body } = await send(await sourceOf({}), { 'x-topic': 'paid' });
    expect((await rest.call('GET', `/events/${body.eventId}`)).body).not.toHaveProperty('headers');
  });

  test('stay through a buffer, and a replay has those of the stored message', async () => {
    const source = await sourceOf({ exposeHeaders: ['x-topic'], eventName: 'order.replayed' });
    const { deliveryId } = (await send(source, { 'x-topic': 'paid' })).body;
    const { runId } = (await rest.call('POST', `/webhook-source-deliveries/${deliveryId}/replay`)).body;
    expect((await runOf(runId)).envelope).toEqual({ headers: { 'x-topic': 'paid' } });
    const late = await sourceOf({ exposeHeaders: ['x-topic'], eventName: 'late' });
    await send(late, { 'x-topic': 'soon' });
    const runs = async (): Promise<number> => {
      await flushDueBuffers(rest.engine);
      return rest.engine.db.prisma.run.count({ where: { workflow: 'late' } });
    };
    await expect.poll(runs).toBe(1);
    const run = await rest.engine.db.prisma.run.findFirstOrThrow({ where: { workflow: 'late' } });
    expect(run.envelope).toEqual({ headers: { 'x-topic': 'soon' } });
  });
});

test('the trace context of the sender is kept on the run, if it is valid', async () => {
  const source = await sourceOf({ eventName: 'late' });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
  const read = async (sent: string): Promise<unknown> => {
    const { eventId } = (await send(source, { traceparent: sent })).body;
    return (await rest.engine.db.prisma.event.findUniqueOrThrow({ where: { id: eventId } })).envelope;
  };
  expect(await read(traceparent)).toEqual({ traceparent });
  expect(await read('cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more')).toEqual({
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  });
  for (const bad of [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, 'ff-x', '00-4BF9-1-1', traceparent.toUpperCase()])
    expect(await read(bad)).toBeNull();
});

test('public keys see no header that may hold a signature or a secret; every other header can be exposed', async () => {
  const source = await sourceOf({ exposeHeaders: ['x-hub-delivery'] });
  const secrets = { 'x-shopify-hmac-sha256': 'a', 'x-api-key': 'b', 'x-gitlab-token': 'c', 'x-hub-signature': 'd' };
  const { deliveryId, eventId } = (await send(source, { ...secrets, 'x-hub-delivery': 'e' })).body;
  expect((await detail(deliveryId)).requestHeaders).toMatchObject({ ...secrets, 'x-hub-delivery': 'e' });
  const shown = (await detail(deliveryId, rest.keys.public)).requestHeaders;
  for (const name of Object.keys(secrets)) expect(shown[name]).toBe('[redacted]');
  expect(shown['x-hub-delivery']).toBe('e');
  expect((await rest.call('GET', `/events/${eventId}`)).body.headers).toEqual({ 'x-hub-delivery': 'e' });
});

test('stored headers hold no credentials, and public keys see no signatures', async () => {
  const source = await sourceOf({});
  const sent = { authorization: 'Basic c2VjcmV0', cookie: 'a=b', 'x-topic': 'grüße' };
  const { deliveryId } = (await send(source, { ...sent, 'x-topic': Buffer.from('grüße').toString('latin1') })).body;
  const { requestHeaders } = await detail(deliveryId);
  expect(requestHeaders).toMatchObject({ authorization: '[redacted]', cookie: '[redacted]' });
  expect(requestHeaders['x-service-signature']).toMatch(/^t=/);
  const shown = (await detail(deliveryId, rest.keys.public)).requestHeaders;
  expect(shown).toEqual({ ...requestHeaders, 'x-service-signature': '[redacted]' });
});

test('the token and the secret stand in no log, in no error and in no metric', async () => {
  const lines: string[] = [];
  const stream = new PassThrough().on('data', (chunk) => lines.push(String(chunk)));
  const { log } = rest.engine;
  rest.engine.log = pino({ level: 'trace' }, stream);
  try {
    const source = await sourceOf({});
    const unknown = 'u'.repeat(43);
    const answers = [
      await send(source),
      await send(source, { 'x-service-signature': 'x' }),
      await send(source, {}, 'no JSON'),
      await rest.call('GET', source.path, undefined, { key: null }),
      await rest.call('PUT', source.path, '{}', { key: null }),
      await rest.call('POST', `${source.path}/more`, '{}', { key: null }),
      await rest.call('POST', `${source.path}%zz`, '{}', { key: null }),
      await rest.call('POST', `${source.path}?%zz`, '{}', { key: null }),
      await rest.call('POST', `/webhooks/${unknown}`, '{}', { key: null }),
      await rest.call('GET', '/metrics'),
    ];
    const { prisma } = rest.engine.db;
    await prisma.sealedSecret.updateMany({ where: { name: source.id }, data: { sealed: Buffer.from('damaged') } });
    answers.push(await send(source, { 'x-service-signature': 'x' }));
    await rest.engine.db.query('alter table webhook_source rename to webhook_source_away');
    answers.push(await send(source));
    await rest.engine.db.query('alter table webhook_source_away rename to webhook_source');
    expect(answers.map(({ status }) => status)).toEqual([202, 401, 400, 404, 405, 404, 400, 400, 404, 200, 500, 500]);
    const said = [...lines, ...answers.map(({ text }) => text)].join('\n');
    expect(lines.length).toBeGreaterThan(5);
    expect(said).toContain('"route":"/webhooks/{token}"');
    for (const secret of [source.token, source.secret, unknown]) expect(said).not.toContain(secret);
    expect(answers[9]?.text).toMatch(/holdfast_webhook_messages_total\{outcome="unknown"\} 1/);
    expect(answers[9]?.text).toMatch(/holdfast_webhook_messages_total\{outcome="unauthorized"\} \d/);
  } finally {
    rest.engine.log = log;
  }
});

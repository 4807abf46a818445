import { connect } from 'node:net';
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
    workflows: [{ name: 'ship', triggers: [{ event: 'order.paid' }] }],
  });
});
afterAll(() => rest.close());
beforeEach(async () => {
  source = await createTestSource(rest.engine, rest.projectId);
});

type Body = string | Uint8Array;

const post = (body: Body, headers: Record<string, string>, to = source): Promise<Answered> =>
  rest.call('POST', to.path, body, { key: null, headers });
const send = (body: Body, to = source): Promise<Answered> => post(body, serviceHeaders(to.secret, body), to);
const deliveries = async (query = ''): Promise<Answered['body']> =>
  (await rest.call('GET', `/webhook-source-deliveries?source=${source.id}${query}`)).body;
const detail = async (id: string): Promise<Answered['body']> =>
  (await rest.call('GET', `/webhook-source-deliveries/${id}`)).body;
const update = (change: object) =>
  updateSource(rest.engine, { projectId: rest.projectId, actor: 'a test', id: source.id, ...change });

describe('a verified message', () => {
  test('is an event with a run when it is answered 202, without any key', async () => {
    const { status, body } = await send('{"id":7}');
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        deliveryId: expect.any(String),
        status: 'ingested',
        eventId: expect.any(String),
        runId: expect.any(String),
      },
    });
    expect((await rest.call('GET', `/events/${body.eventId}`)).body).toMatchObject({
      name: 'order.paid',
      app: 'default',
      source: 'webhook',
      data: { id: 7 },
      triggered: [{ app: 'shop', workflow: 'ship', runId: body.runId }],
    });
    expect((await rest.call('GET', `/runs/${body.runId}`)).body).toMatchObject({
      triggerKind: 'event',
      eventId: body.eventId,
      input: { id: 7 },
    });
  });

  test('is listed with its outcome, and read with its headers, its bytes and its first attempt', async () => {
    const text = '{"id" : 7}\r\n';
    const { deliveryId, eventId, runId } = (await send(text)).body;
    const summary = {
      id: deliveryId,
      source: source.id,
      status: 'ingested',
      eventId,
      runId,
      createdAt: expect.any(String),
    };
    expect(await deliveries()).toEqual([summary]);
    expect(await detail(deliveryId)).toEqual({
      ...summary,
      body: text,
      requestHeaders: expect.objectContaining({ 'x-service-signature': expect.stringMatching(/^t=\d+&s=/) }),
      attempts: [
        {
          id: expect.any(String),
          attempt: 1,
          trigger: 'initial',
          status: 'ingested',
          eventId,
          runId,
          createdAt: summary.createdAt,
        },
      ],
    });
  });

  test('names its app and its target app as the source says', async () => {
    source = await createTestSource(rest.engine, rest.projectId, { app: 'mail', targetApp: 'elsewhere' });
    const { status, body } = await send('{}');
    expect({ status, runId: body.runId }).toEqual({ status: 202, runId: undefined });
    expect((await rest.call('GET', `/events/${body.eventId}`)).body).toMatchObject({
      app: 'mail',
      targetApp: 'elsewhere',
      triggered: [],
    });
  });

  test('is an event, also where no workflow matches it', async () => {
    source = await createTestSource(rest.engine, rest.projectId, { eventName: 'nobody.listens' });
    expect(await send('null')).toMatchObject({ status: 202, body: { status: 'ingested' } });
    expect((await send('"text"')).body).not.toHaveProperty('runId');
  });

  test('verifies by its bytes: line ends, spaces and a byte order mark stay, a re-serialized body fails', async () => {
    const text = '\uFEFF{ "a" :  1,\r\n\t"b":[ 1.50 ] }\r\n';
    const headers = serviceHeaders(source.secret, text);
    const { status, body } = await post(text, headers);
    expect({ status, outcome: body.status }).toEqual({ status: 202, outcome: 'ingested' });
    expect((await detail(body.deliveryId)).body).toBe(text);
    expect((await rest.call('GET', `/events/${body.eventId}`)).text).toContain(
      '"data":{ "a" :  1,\r\n\t"b":[ 1.50 ] }',
    );
    expect(await post('{"a":1,"b":[1.5]}', headers)).toMatchObject({ status: 401 });
  });

  test('keeps numbers, keys and their order', async () => {
    const text = '{"big":12345678901234567890,"huge":1e400,"zero":-0,"__proto__":1,"a":2}';
    const { body } = await send(text);
    expect((await rest.call('GET', `/events/${body.eventId}`)).text).toContain(`"data":${text}`);
  });

  test('of a suspended project is an event without a run', async () => {
    const { projectId } = await rest.stranger();
    source = await createTestSource(rest.engine, projectId);
    await updateProject(rest.engine, { id: projectId, suspended: true });
    const { status, body } = await send('{}');
    expect({ status, body }).toMatchObject({ status: 202, body: { status: 'ingested', eventId: expect.any(String) } });
    expect(body).not.toHaveProperty('runId');
  });

  test('that is no JSON of an event answers 400 with the reason, and is recorded with its bytes', async () => {
    const deep = '['.repeat(600) + ']'.repeat(600);
    const cases: [Body, string][] = [
      ['{"a":', 'malformed JSON'],
      ['', 'malformed JSON'],
      ['payload=%7B%7D', 'malformed JSON'],
      [Buffer.from([0x22, 0xff, 0x22]), 'the body is not valid UTF-8'],
      ['{"a":"\\u0000"}', 'unsupported character in event'],
      ['"\\ud800"', 'unsupported character in event'],
      [deep, 'JSON is nested deeper than 500 levels'],
    ];
    for (const [body, error] of cases)
      expect(await send(body)).toMatchObject({ status: 400, body: { error, status: 'invalid' } });
    const listed = await deliveries();
    expect(listed.map((each: { status: string }) => each.status)).toEqual(cases.map(() => 'invalid'));
    const bytes = await detail(listed.at(-4).id);
    expect(bytes).toMatchObject({ body: Buffer.from([0x22, 0xff, 0x22]).toString('base64'), bodyEncoding: 'base64' });
    expect(await detail(listed.at(-1).id)).toMatchObject({ body: '{"a":' });
  });
});

describe('a message that does not verify', () => {
  const unauthorized = (failureReason: string) => ({ status: 401, body: { status: 'unauthorized', failureReason } });

  test('answers 401 with each of the four reasons, and is recorded without its body', async () => {
    const body = '{"id":1}';
    const { 'x-service-signature': right = '' } = serviceHeaders(source.secret, body);
    const past = Date.now() - 301_000;
    expect(await post(body, {})).toMatchObject(unauthorized('missing_signature'));
    for (const header of ['', 't=x&s=00', `${right}&t=1`, 's=00', 't=1', 'sha256=00'])
      expect(await post(body, { 'x-service-signature': header }), header).toMatchObject(
        unauthorized('malformed_signature'),
      );
    expect(await post(body, serviceHeaders(source.secret, body, past))).toMatchObject(
      unauthorized('timestamp_out_of_tolerance'),
    );
    expect(await post(body, serviceHeaders(source.secret, body, Date.now() + 302_000))).toMatchObject(
      unauthorized('timestamp_out_of_tolerance'),
    );
    expect(await post(body, serviceHeaders('another', body))).toMatchObject(unauthorized('signature_mismatch'));
    const [last] = await deliveries('&limit=1');
    expect(last).toMatchObject({ status: 'unauthorized', failureReason: 'signature_mismatch' });
    const read = await detail(last.id);
    expect(read).not.toHaveProperty('body');
    expect(read.attempts).toMatchObject([{ attempt: 1, trigger: 'initial', status: 'unauthorized' }]);
  });

  test('and is old is a mismatch: only who knows the secret learns that the time is wrong', async () => {
    expect(await post('{}', serviceHeaders('another', '{}', 0))).toMatchObject(unauthorized('signature_mismatch'));
  });

  test('fills at most 100 rows of its source in an hour; the rest is counted', async () => {
    const statuses = await Promise.all(Array.from({ length: 120 }, () => post('{}', {})));
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([401]));
    expect(statuses.filter(({ body }) => 'deliveryId' in body)).toHaveLength(100);
    expect(await post('{}', {})).toMatchObject({ status: 401 });
    const where = { sourceId: source.id };
    expect(await rest.engine.db.prisma.webhookSourceDelivery.count({ where })).toBe(100);
    expect(await rest.engine.db.prisma.webhookSourceHour.findMany({ where })).toMatchObject([
      { recorded: 100, counted: 21 },
    ]);
    expect(await send('{}')).toMatchObject({ status: 202 });
  });

  test('because it is larger than 1 MiB answers 413 and is recorded, declared or chunked', async () => {
    const large = 'x'.repeat(1024 * 1024 + 1);
    expect(await send(large)).toMatchObject({ status: 413, body: { error: 'request body too large' } });
    expect(await deliveries()).toMatchObject([{ status: 'too_large' }]);
    const chunked = await fetch(rest.url + source.path, {
      method: 'POST',
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(await deliveries()).toHaveLength(2);
    const fits = JSON.stringify('x'.repeat(1024 * 1024 - 2));
    expect(await send(fits)).toMatchObject({ status: 202 });
  });

  test('because the secret cannot be read answers 500, as internal errors do, and is recorded', async () => {
    await rest.engine.db.prisma.sealedSecret.updateMany({
      where: { name: source.id, kind: 'webhook_source' },
      data: { sealed: Buffer.from('damaged') },
    });
    expect(await send('{}')).toMatchObject({ status: 500, body: { error: 'internal error', status: 'misconfigured' } });
    expect(await deliveries()).toMatchObject([{ status: 'misconfigured' }]);
  });
});

test('a body that is declared as huge answers 413 at once, before any of it is sent', async () => {
  const { hostname, port } = new URL(rest.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  socket.write(`POST ${source.path} HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\n`);
  const answer = (await socket.toArray()).join('');
  expect(answer).toMatch(/^HTTP\/1.1 413 .*connection: close.*"error":"request body too large"/s);
  expect(await deliveries()).toMatchObject([{ status: 'too_large' }]);
});

describe('a source', () => {
  test('that is unknown, disabled or deleted answers 404 like any path, and records nothing', async () => {
    const unknown = { ...source, path: `/webhooks/${'a'.repeat(43)}` };
    for (const path of [unknown.path, '/webhooks/short', `/webhooks/${'%41'.repeat(20)}`])
      expect(await send('{}', { ...source, path })).toMatchObject({ status: 404, body: { error: 'not found' } });
    expect(await send('{}')).toMatchObject({ status: 202 });
    await update({ enabled: false });
    expect(await send('{}')).toMatchObject({ status: 404 });
    expect(await post('{}', {})).toMatchObject({ status: 404 });
    await update({ enabled: true });
    expect(await send('{}')).toMatchObject({ status: 202 });
    await deleteSource(rest.engine, { projectId: rest.projectId, actor: 'a test', id: source.id });
    expect(await send('{}')).toMatchObject({ status: 404 });
    expect(await deliveries()).toHaveLength(2);
    expect(await rest.engine.db.prisma.webhookSourceHour.count({ where: { sourceId: source.id } })).toBe(0);
  });

  test('takes messages under an adopted token of any URL-safe characters', async () => {
    source = await createTestSource(rest.engine, rest.projectId, { token: 'Adopted.by~hand-with_all.0' });
    expect(await send('{}')).toMatchObject({ status: 202, body: { status: 'ingested' } });
  });

  test('takes both secrets during a rotation, and only the new one when the former is revoked', async () => {
    expect(await send('{}')).toMatchObject({ status: 202 });
    const { secret = '' } = await update({ rotateSecret: true });
    const renewed = { ...source, secret };
    expect(await send('{}', renewed)).toMatchObject({ status: 202 });
    expect(await send('{}')).toMatchObject({ status: 202 });
    expect(await post('{}', serviceHeaders(['wrong', source.secret], '{}'))).toMatchObject({ status: 202 });
    await update({ revokePrevious: true });
    expect(await send('{}')).toMatchObject({ status: 401 });
    expect(await send('{}', renewed)).toMatchObject({ status: 202 });
  });

  test('that changes is obeyed by the next message', async () => {
    expect(await send('{}')).toMatchObject({ status: 202 });
    await update({ eventName: 'order.moved' });
    const { body } = await send('{}');
    expect((await rest.call('GET', `/events/${body.eventId}`)).body).toMatchObject({ name: 'order.moved' });
  });
});

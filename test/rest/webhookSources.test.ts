import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/engine/clock.ts';
import { newId } from '../../src/engine/ids.ts';
import { type Answered, type RestServer, startRest } from './restServer.ts';

const clock = new ManualClock();
const day = 86_400_000;
let rest: RestServer;

beforeAll(async () => {
  rest = await startRest({ clock, settings: { baseUrl: 'https://hooks.example.com' } });
});
afterAll(() => rest.close());

const create = (more: object = {}): Promise<Answered> =>
  rest.call('POST', '/webhook-sources', { eventName: 'paid', ...more });
const patch = (id: string, body: unknown): Promise<Answered> => rest.call('PATCH', `/webhook-sources/${id}`, body);
const get = (id: string): Promise<Answered> => rest.call('GET', `/webhook-sources/${id}`);
const refused = (status: number, error: unknown) => ({ status, body: { error } });
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /webhook-sources', () => {
  test('answers 201 with the source, its address and its generated secret, which no read shows', async () => {
    const sent = {
      name: 'payments',
      app: 'shop',
      eventName: 'payment.received',
      targetApp: 'books',
      dedupeKey: 'data.object.id',
      scheme: 'stripe',
      handshake: 'meta',
      enabled: false,
    };
    const { status, body } = await create({ ...sent, exposeHeaders: ['X-Topic', 'traceparent'] });
    const { secret, ...source } = body;
    expect(status).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(source).toEqual({
      ...sent,
      exposeHeaders: ['x-topic', 'traceparent'],
      id: expect.any(String),
      token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      receiveUrl: `https://hooks.example.com/webhooks/${source.token}`,
      createdAt: instant,
      updatedAt: instant,
    });
    expect((await get(source.id)).body).toEqual(source);
    expect((await rest.call('GET', '/webhook-sources')).body[0]).toEqual(source);
  });

  test('has defaults for all but the event’s name', async () => {
    const { body } = await create();
    expect(body).toMatchObject({ scheme: 'service', enabled: true, exposeHeaders: [] });
    for (const absent of ['name', 'app', 'targetApp', 'dedupeKey', 'handshake', 'previousSecretUntil'])
      expect(body).not.toHaveProperty(absent);
  });

  test('adopts a token and a secret; a token that is taken by any project answers 409', async () => {
    const token = `adopted-${newId()}`;
    const { body } = await create({ token, secret: 'a known secret' });
    expect(body).toMatchObject({ token, secret: 'a known secret' });
    expect(await create({ token })).toMatchObject(refused(409, 'webhook token already in use'));
    const { secret: key } = await rest.stranger();
    const theirs = { eventName: 'x', token };
    expect(await rest.call('POST', '/webhook-sources', theirs, { key })).toMatchObject(
      refused(409, 'webhook token already in use'),
    );
  });

  test.each([
    ['a missing event name', { eventName: undefined }, 'eventName is required'],
    ['a blank event name', { eventName: ' ' }, 'eventName must be a non-empty string'],
    ['a long event name', { eventName: 'x'.repeat(257) }, 'eventName must be at most 256 characters long'],
    [
      'an event name with a control character',
      { eventName: 'a\u0007' },
      'eventName must not contain control characters',
    ],
    ['a long target app', { targetApp: 'x'.repeat(257) }, 'targetApp must be at most 256 characters long'],
    ['an empty path', { dedupeKey: '' }, expect.stringContaining('dedupeKey must be a dotted path')],
    ['a path with an empty part', { dedupeKey: 'a..b' }, expect.stringContaining('dedupeKey must be a dotted path')],
    ['a path with U+0000', { dedupeKey: 'a\0' }, 'dedupeKey has an unsupported character'],
    ['an unknown scheme', { scheme: 'slack' }, 'scheme must be one of service, standard, github, stripe'],
    ['an unknown handshake', { handshake: 'stripe' }, 'handshake must be one of slack, meta'],
    ['a short token', { token: 'short' }, expect.stringContaining('token must have 16 to 128 characters')],
    ['a long token', { token: 'x'.repeat(129) }, expect.stringContaining('token must have 16 to 128 characters')],
    ['a token with a slash', { token: 'a/b/c/d/e/f/g/h/i' }, expect.stringContaining('token must have 16 to 128')],
    [
      'too many headers',
      { exposeHeaders: Array.from({ length: 21 }, (_, n) => `x-${n}`) },
      'exposeHeaders must list at most 20 names',
    ],
    [
      'a header that is none',
      { exposeHeaders: ['a b'] },
      expect.stringContaining('exposeHeaders must list names of headers'),
    ],
    ['a repeated header', { exposeHeaders: ['x-a', 'X-A'] }, 'exposeHeaders must list each name once'],
    ['headers that are no list', { exposeHeaders: 'x-a' }, 'exposeHeaders must be a list of strings'],
    [
      'a secret that gives no key',
      { secret: 'not a whsec secret', scheme: 'standard' },
      expect.stringContaining('secret must be whsec_'),
    ],
    ['an unknown field', { url: 'https://example.com' }, expect.stringContaining('unknown field "url"')],
  ])('refuses %s, and names the field', async (_what, sent, error) => {
    expect(await create(sent)).toMatchObject(refused(400, error));
  });

  test.each([
    'Stripe-Signature',
    'X-Hub-Signature-256',
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'Set-Cookie',
    'X-Gitlab-Token',
    'X-Api-Key',
    'X-Shopify-Hmac-Sha256',
    'Paypal-Transmission-Sig',
  ])('never exposes the header %s', async (name) => {
    expect(await create({ exposeHeaders: [name] })).toMatchObject(
      refused(400, expect.stringContaining(`exposeHeaders must not list ${name.toLowerCase()}`)),
    );
  });

  test('of two creates with one name at the same time, exactly one succeeds', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ name: 'race' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await create({ name: 'race' })).toMatchObject(refused(409, 'webhook source name already in use'));
  });
});

describe('PATCH /webhook-sources/{id}', () => {
  test('changes the given fields; null clears an optional one', async () => {
    const all = { name: 'all', app: 'a', targetApp: 'b', dedupeKey: 'id', handshake: 'slack', exposeHeaders: ['x-a'] };
    const { id, secret: _, ...source } = (await create(all)).body;
    const changed = await patch(id, { eventName: 'other', scheme: 'github' });
    expect(changed).toMatchObject({ status: 200, body: { ...source, eventName: 'other', scheme: 'github' } });
    const cleared = (await patch(id, Object.fromEntries(Object.keys(all).map((name) => [name, null])))).body;
    expect(cleared.exposeHeaders).toEqual([]);
    for (const name of Object.keys(all).filter((each) => each !== 'exposeHeaders'))
      expect(cleared).not.toHaveProperty(name);
    for (const name of ['eventName', 'enabled', 'scheme', 'secret'])
      expect(await patch(id, { [name]: null })).toMatchObject(refused(400, `${name} must not be null`));
  });

  test('does not change the token', async () => {
    const { id } = (await create()).body;
    expect(await patch(id, { token: 'x'.repeat(32) })).toMatchObject(
      refused(400, expect.stringContaining('unknown field "token"')),
    );
  });

  test('rotates the secret with an overlap of 24 hours', async () => {
    const { id, token } = (await create()).body;
    const rotated = await patch(id, { rotateSecret: true });
    expect(rotated.body).toMatchObject({
      token,
      secret: expect.stringMatching(/^whsec_/),
      previousSecretUntil: new Date(clock.now().getTime() + day).toISOString(),
    });
    expect(await patch(id, { rotateSecret: true })).toMatchObject(refused(409, 'secret rotation in progress'));
    clock.advance(day);
    expect((await patch(id, { rotateSecret: true })).status).toBe(200);
  });
});

test('DELETE /webhook-sources/{id} answers 204, then the source is unknown', async () => {
  const { id, token } = (await create()).body;
  expect(await rest.call('DELETE', `/webhook-sources/${id}`)).toMatchObject({ status: 204, text: '' });
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', {}],
    ['DELETE', undefined],
  ] as const)
    expect(await rest.call(method, `/webhook-sources/${id}`, body)).toMatchObject(
      refused(404, 'webhook source not found'),
    );
  expect((await create({ token })).status).toBe(201);
});

test('a key of another project finds no source, and a public key sees neither token nor address', async () => {
  const { id, token } = (await create()).body;
  const { secret: key } = await rest.stranger();
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { name: 'x' }],
    ['DELETE', undefined],
  ] as const)
    expect(await rest.call(method, `/webhook-sources/${id}`, body, { key })).toMatchObject(
      refused(404, 'webhook source not found'),
    );
  const reader = { key: rest.keys.public };
  for (const path of [`/webhook-sources/${id}`, '/webhook-sources']) {
    const { status, text } = await rest.call('GET', path, undefined, reader);
    expect(status).toBe(200);
    expect(text).not.toContain(token);
    expect(text).not.toMatch(/"token"|receiveUrl/);
  }
  for (const [method, path] of [
    ['POST', '/webhook-sources'],
    ['PATCH', `/webhook-sources/${id}`],
    ['DELETE', `/webhook-sources/${id}`],
  ] as const)
    expect(await rest.call(method, path, {}, reader)).toMatchObject({ status: 403 });
});

test('each write is in the audit log', async () => {
  const { secret: key } = await rest.stranger();
  const { id } = (await rest.call('POST', '/webhook-sources', { eventName: 'x' }, { key })).body;
  await rest.call('PATCH', `/webhook-sources/${id}`, { dedupeKey: 'id', rotateSecret: true }, { key });
  await rest.call('DELETE', `/webhook-sources/${id}`, undefined, { key });
  const { body } = await rest.call('GET', '/control-actions', undefined, { key });
  expect(body.reverse()).toMatchObject([
    { action: 'create_webhook_source', detail: { sourceId: id } },
    { action: 'update_webhook_source', detail: { sourceId: id, fields: ['dedupeKey'] } },
    { action: 'rotate_webhook_secret', detail: { sourceId: id, rotated: true } },
    { action: 'delete_webhook_source', detail: { sourceId: id } },
  ]);
});

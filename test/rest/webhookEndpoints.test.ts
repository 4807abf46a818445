import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/engine/clock.ts';
import { newId } from '../../src/engine/ids.ts';
import { type Answered, type RestServer, startRest } from './restServer.ts';

const clock = new ManualClock();
const day = 86_400_000;
let rest: RestServer;
let count = 0;

beforeAll(async () => {
  rest = await startRest({ clock, settings: { allowPrivateTargets: false } });
});
afterAll(() => rest.close());

const fresh = (): object => {
  count += 1;
  return { url: `https://example.com/${count}`, eventKinds: ['run.failed'] };
};
const create = (more: object = {}): Promise<Answered> =>
  rest.call('POST', '/webhook-endpoints', { ...fresh(), ...more });
const patch = (id: string, body: unknown): Promise<Answered> => rest.call('PATCH', `/webhook-endpoints/${id}`, body);
const get = (id: string): Promise<Answered> => rest.call('GET', `/webhook-endpoints/${id}`);
const refused = (status: number, error: unknown) => ({ status, body: { error } });
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /webhook-endpoints', () => {
  test('answers 201 with the endpoint and its generated secret, which no read shows', async () => {
    const sent = {
      name: 'orders',
      app: 'shop',
      url: 'https://example.com/a?b=c',
      eventKinds: ['run.failed', 'step.skipped'],
    };
    const { status, body } = await create(sent);
    const { secret, ...endpoint } = body;
    expect(status).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(endpoint).toEqual({
      ...sent,
      id: expect.any(String),
      scheme: 'service',
      enabled: true,
      createdAt: instant,
      updatedAt: instant,
    });
    expect(await get(endpoint.id)).toMatchObject({ status: 200, body: endpoint });
    expect((await get(endpoint.id)).body).toEqual(endpoint);
    expect((await rest.call('GET', '/webhook-endpoints')).body[0]).toEqual(endpoint);
  });

  test('adopts a known secret, and answers it once', async () => {
    const { body } = await create({ secret: 'a known secret', enabled: false, scheme: 'service' });
    expect(body).toMatchObject({ secret: 'a known secret', enabled: false });
  });

  test('takes null as absent in optional fields', async () => {
    const { status, body } = await create({ name: null, app: null });
    expect(status).toBe(201);
    expect(body).not.toHaveProperty('name');
    expect(body).not.toHaveProperty('app');
  });

  test.each([
    ['a missing url', { url: undefined }, 'url is required'],
    ['missing kinds', { eventKinds: undefined }, 'eventKinds is required'],
    ['a null url', { url: null }, 'url is required'],
    ['no http url', { url: 'ftp://example.com' }, 'url must be an http or https URL'],
    ['a long url', { url: `https://example.com/${'x'.repeat(2048)}` }, 'url must be at most 2048 characters long'],
    ['a url with credentials', { url: 'https://a:b@example.com' }, 'url must not contain credentials'],
    ['a url with spaces', { url: ' https://example.com' }, 'url must not contain white space or control characters'],
    ['a loopback address', { url: 'http://127.0.0.1:80/' }, expect.stringContaining('url must not address a private')],
    ['a disguised address', { url: 'http://0x7f000001/' }, expect.stringContaining('url must not address a private')],
    ['a mapped address', { url: 'http://[::ffff:7f00:1]/' }, expect.stringContaining('url must not address')],
    ['a metadata address', { url: 'http://169.254.169.254/' }, expect.stringContaining('url must not address')],
    ['no kind', { eventKinds: [] }, expect.stringContaining('eventKinds must list one or more of run.succeeded')],
    ['a repeated kind', { eventKinds: ['run.failed', 'run.failed'] }, expect.stringContaining('each once')],
    [
      'custom, which is not subscribable',
      { eventKinds: ['custom'] },
      expect.stringContaining('eventKinds must be one of'),
    ],
    ['kinds that are no list', { eventKinds: 'run.failed' }, 'eventKinds must be a list of strings'],
    ['an unknown scheme', { scheme: 'github' }, 'scheme must be one of service, standard'],
    ['enabled as a text', { enabled: 'true' }, 'enabled must be true or false'],
    ['a blank name', { name: ' ' }, 'name must be a non-empty string'],
    ['a long name', { name: 'n'.repeat(257) }, 'name must be at most 256 characters long'],
    ['a name with U+0000', { name: 'a\0b' }, 'name must not contain control characters'],
    [
      'a name with half a surrogate',
      '{"url":"https://example.com","eventKinds":["run.failed"],"name":"\\ud800"}',
      'name must not contain control characters',
    ],
    ['a long app', { app: 'n'.repeat(257) }, 'app must be at most 256 characters long'],
    ['a short secret', { secret: '1234567' }, 'secret must have 8 to 256 characters'],
    ['a long secret', { secret: 's'.repeat(257) }, 'secret must have 8 to 256 characters'],
    ['a secret with control characters', { secret: 'secret\n secret' }, 'secret must not contain control characters'],
    [
      'a secret that gives no key',
      { secret: 'whsec_!!!!!!!!', scheme: 'standard' },
      expect.stringContaining('secret must be whsec_'),
    ],
    [
      'a secret with a short key',
      { secret: 'whsec_c2hvcnQ=', scheme: 'standard' },
      expect.stringContaining('16 bytes'),
    ],
    ['a misspelt field', { eventKind: 'x' }, expect.stringContaining('unknown field "eventKind"')],
    ['a field of changes', { rotateSecret: true }, expect.stringContaining('unknown field "rotateSecret"')],
    [
      '__proto__',
      '{"url":"https://example.com","eventKinds":["run.failed"],"__proto__":1}',
      expect.stringContaining('unknown field "__proto__"'),
    ],
  ])('refuses %s, and names the field', async (_what, sent, error) => {
    const body = typeof sent === 'string' ? sent : { ...fresh(), ...sent };
    expect(await rest.call('POST', '/webhook-endpoints', body)).toMatchObject(refused(400, error));
  });

  test('refuses the name of another endpoint, and its url for the same app, with 409', async () => {
    const { body } = await create({ name: 'taken', app: 'one' });
    expect(await create({ name: 'taken' })).toMatchObject(refused(409, 'webhook endpoint name already in use'));
    const same = { url: body.url };
    expect(await create({ ...same, app: 'one' })).toMatchObject(
      refused(409, 'webhook endpoint url already subscribed'),
    );
    expect(await create({ ...same, app: 'two' })).toMatchObject({ status: 201 });
    expect(await create(same)).toMatchObject({ status: 201 });
    expect(await create(same)).toMatchObject(refused(409, 'webhook endpoint url already subscribed'));
    const stranger = await rest.stranger();
    const theirs = { ...same, name: 'taken', eventKinds: ['run.failed'] };
    expect(await rest.call('POST', '/webhook-endpoints', theirs, { key: stranger.secret })).toMatchObject({
      status: 201,
    });
  });

  test('of two creates with one name at the same time, exactly one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all([1, 2, 3, 4].map(() => create({ name: `race ${round}` })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    }
  });
});

describe('PATCH /webhook-endpoints/{id}', () => {
  test('changes the given fields, and leaves the others', async () => {
    const { id, secret: _, ...endpoint } = (await create({ name: 'before', app: 'shop' })).body;
    clock.advance(1000);
    const { status, body } = await patch(id, { name: 'after', eventKinds: ['run.succeeded'], enabled: false });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...endpoint,
      id,
      name: 'after',
      eventKinds: ['run.succeeded'],
      enabled: false,
      updatedAt: clock.now().toISOString(),
    });
    expect((await get(id)).body).toEqual(body);
  });

  test('null clears a name and an app, and nothing else', async () => {
    const { id } = (await create({ name: 'cleared', app: 'shop' })).body;
    const { body } = await patch(id, { name: null, app: null });
    expect(body).not.toHaveProperty('name');
    expect(body).not.toHaveProperty('app');
    for (const field of ['url', 'eventKinds', 'enabled', 'scheme', 'secret'])
      expect(await patch(id, { [field]: null })).toMatchObject(refused(400, `${field} must not be null`));
  });

  test('without a change answers the endpoint as it is', async () => {
    const { id } = (await create()).body;
    const { body } = await get(id);
    clock.advance(1000);
    expect((await patch(id, {})).body).toEqual(body);
    expect((await patch(id, { enabled: true, url: body.url })).status).toBe(200);
  });

  test.each([
    [{ token: 'x' }, expect.stringContaining('unknown field "token"')],
    [{ url: 'http://10.0.0.1' }, expect.stringContaining('url must not address a private')],
    [{ eventKinds: [] }, expect.stringContaining('eventKinds must list one or more')],
    [{ rotateSecret: 1 }, 'rotateSecret must be true or false'],
    [[], 'the body must be a JSON object'],
  ])('refuses %j', async (body, error) => {
    const { id } = (await create()).body;
    expect(await patch(id, body)).toMatchObject(refused(400, error));
  });

  test('refuses a name or a url that is taken', async () => {
    const other = (await create({ name: 'of another' })).body;
    const { id } = (await create()).body;
    expect(await patch(id, { name: other.name })).toMatchObject(refused(409, 'webhook endpoint name already in use'));
    expect(await patch(id, { url: other.url })).toMatchObject(refused(409, 'webhook endpoint url already subscribed'));
  });

  test('rotates the secret, shows the new one once, and keeps the old one valid for 24 hours', async () => {
    const { id, secret } = (await create()).body;
    const rotated = (await patch(id, { rotateSecret: true })).body;
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    const until = new Date(clock.now().getTime() + day).toISOString();
    expect(rotated.previousSecretUntil).toBe(until);
    const { secret: _, ...shown } = rotated;
    expect((await get(id)).body).toEqual(shown);
    expect(await patch(id, { rotateSecret: true })).toMatchObject(refused(409, 'secret rotation in progress'));
    expect(await patch(id, { secret: 'a known secret' })).toMatchObject(refused(409, 'secret rotation in progress'));
    expect((await patch(id, { name: null })).body).not.toHaveProperty('secret');
    clock.advance(day);
    expect((await get(id)).body).not.toHaveProperty('previousSecretUntil');
    expect(await patch(id, { secret: 'a known secret' })).toMatchObject({
      status: 200,
      body: { secret: 'a known secret' },
    });
  });

  test('a rotation that is refused changes nothing else', async () => {
    const { id } = (await create({ name: 'as it was' })).body;
    await patch(id, { rotateSecret: true });
    expect((await patch(id, { name: 'other', rotateSecret: true })).status).toBe(409);
    expect((await get(id)).body.name).toBe('as it was');
  });

  test('force rotates again inside the overlap, and revokePrevious ends it', async () => {
    const { id } = (await create()).body;
    await patch(id, { rotateSecret: true });
    clock.advance(1000);
    const forced = await patch(id, { rotateSecret: true, force: true });
    expect(forced.body.previousSecretUntil).toBe(new Date(clock.now().getTime() + day).toISOString());
    const revoked = await patch(id, { revokePrevious: true });
    expect(revoked).toMatchObject({ status: 200 });
    expect(revoked.body).not.toHaveProperty('previousSecretUntil');
    expect(revoked.body).not.toHaveProperty('secret');
    expect((await patch(id, { rotateSecret: true })).status).toBe(200);
  });

  test('a rotation with revokePrevious leaves only the new secret valid, also inside an overlap', async () => {
    const { id } = (await create()).body;
    await patch(id, { rotateSecret: true });
    const { status, body } = await patch(id, { rotateSecret: true, revokePrevious: true });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('previousSecretUntil');
  });

  test('of two rotations at the same time, exactly one succeeds', async () => {
    const { id } = (await create()).body;
    const answers = await Promise.all([1, 2, 3].map(() => patch(id, { rotateSecret: true })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  });

  test('the scheme standard needs a secret that gives a key', async () => {
    const { id } = (await create({ secret: 'a known secret' })).body;
    expect(await patch(id, { scheme: 'standard' })).toMatchObject(
      refused(400, expect.stringContaining('rotateSecret')),
    );
    const { status, body } = await patch(id, { scheme: 'standard', rotateSecret: true });
    expect([status, body.scheme]).toEqual([200, 'standard']);
    // The former secret signs nothing under this scheme.
    expect(body).not.toHaveProperty('previousSecretUntil');
    expect((await patch(id, { scheme: 'service' })).status).toBe(200);
  });
});

test('DELETE /webhook-endpoints/{id} answers 204, then the endpoint is unknown and its name is free', async () => {
  const { id } = (await create({ name: 'short-lived' })).body;
  expect(await rest.call('DELETE', `/webhook-endpoints/${id}`)).toMatchObject({ status: 204, text: '' });
  const unknown = refused(404, 'webhook endpoint not found');
  expect(await get(id)).toMatchObject(unknown);
  expect(await patch(id, { name: 'x' })).toMatchObject(unknown);
  expect(await rest.call('DELETE', `/webhook-endpoints/${id}`)).toMatchObject(unknown);
  expect((await create({ name: 'short-lived' })).status).toBe(201);
});

test('an id that is no UUID answers 404, like one of another project', async () => {
  const { id } = (await create()).body;
  const { secret: key } = await rest.stranger();
  for (const [path, caller] of [
    [id, { key }],
    ['no-uuid', {}],
    [newId(), {}],
  ] as const)
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect(await rest.call(method, `/webhook-endpoints/${path}`, body, caller)).toMatchObject(
        refused(404, 'webhook endpoint not found'),
      );
});

test('a public key reads endpoints without the queries of their urls, and changes none', async () => {
  const key = rest.keys.public;
  const { id, url } = (await create({ url: `https://example.com/q?token=${newId()}` })).body;
  expect(url).toContain('?token=');
  expect((await rest.call('GET', `/webhook-endpoints/${id}`, undefined, { key })).body.url).toBe(
    'https://example.com/q?…',
  );
  for (const [method, path, body] of [
    ['POST', '/webhook-endpoints', fresh()],
    ['PATCH', `/webhook-endpoints/${id}`, { name: 'x' }],
    ['DELETE', `/webhook-endpoints/${id}`, undefined],
  ] as const)
    expect(await rest.call(method, path, body, { key })).toMatchObject({ status: 403 });
});

test('the list is whole, however long, newest first', async () => {
  const { projectId, secret: key } = await rest.stranger();
  const ids = Array.from({ length: 130 }, () => newId());
  await rest.engine.db.prisma.webhookEndpoint.createMany({
    data: ids.map((id) => ({
      id,
      projectId,
      url: `https://example.com/${id}`,
      eventKinds: ['run.failed'],
      scheme: 'service',
    })),
  });
  const { body } = await rest.call('GET', '/webhook-endpoints', undefined, { key });
  expect(body.map((each: { id: string }) => each.id)).toEqual(ids.reverse());
});

test('each write is in the audit log, by the name of its key and without secrets', async () => {
  const { projectId, secret: key } = await rest.stranger();
  const as = { key };
  const { id, secret } = (await rest.call('POST', '/webhook-endpoints', { ...fresh(), name: 'told' }, as)).body;
  const path = `/webhook-endpoints/${id}`;
  const next = (await rest.call('PATCH', path, { name: 'renamed', rotateSecret: true }, as)).body.secret;
  await rest.call('PATCH', path, {}, as);
  await rest.call('PATCH', path, { revokePrevious: true }, as);
  await rest.call('DELETE', path, undefined, as);
  const { body, text } = await rest.call('GET', '/control-actions', undefined, as);
  const of = { endpointId: id, name: 'renamed' };
  expect(body.reverse()).toMatchObject([
    { action: 'create_webhook_endpoint', actor: 'a secret key', detail: { endpointId: id, name: 'told' } },
    { action: 'update_webhook_endpoint', detail: { ...of, fields: ['name'] } },
    { action: 'rotate_webhook_secret', detail: { ...of, rotated: true } },
    { action: 'rotate_webhook_secret', detail: { ...of, revokedPrevious: true } },
    { action: 'delete_webhook_endpoint', detail: of },
  ]);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(next);
  const filtered = await rest.call('GET', '/control-actions?action=rotate_webhook_secret', undefined, as);
  expect(filtered.body).toHaveLength(2);
  expect(projectId).not.toBe(rest.projectId);
});

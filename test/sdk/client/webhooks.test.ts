import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { Holdfast, HoldfastApiError, type WebhookEventKind } from '../../../sdk/src/index.ts';
import { type LifecycleKind, lifecycleKinds } from '../../../src/engine/lifecycle/index.ts';
import { type RestServer, startRest } from '../../rest/restServer.ts';
import { clientOf } from '../support/httpDouble.ts';

let rest: RestServer;
let hf: Holdfast;

beforeAll(async () => {
  rest = await startRest({ settings: { baseUrl: 'https://hooks.example.com' } });
  hf = new Holdfast({ baseUrl: rest.url, apiKey: rest.keys.secret });
});
afterAll(() => rest.close());

const status = (code: number) => ({ constructor: HoldfastApiError, status: code });

describe('hf.webhooks.endpoints', () => {
  it('creates, lists, gets, changes, rotates and deletes', async () => {
    const { endpoints } = hf.webhooks;
    const { secret, ...created } = await endpoints.create({
      name: 'orders',
      url: 'https://example.com/hook',
      eventKinds: [...lifecycleKinds],
      scheme: 'standard',
    });
    expect(secret).toMatch(/^whsec_/);
    expect(await endpoints.get(created.id)).toEqual(created);
    expect(await endpoints.list()).toEqual([created]);
    const changed = await endpoints.update(created.id, { name: null, eventKinds: ['run.failed'], enabled: false });
    expect(changed).not.toHaveProperty('name');
    expect(changed).toMatchObject({ eventKinds: ['run.failed'], enabled: false });
    const rotated = await endpoints.rotate(created.id);
    expect(rotated.secret).not.toBe(secret);
    await expect(endpoints.rotate(created.id)).rejects.toMatchObject(status(409));
    const known = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    expect((await endpoints.rotate(created.id, { secret: known, force: true })).secret).toBe(known);
    expect(await endpoints.update(created.id, { revokePrevious: true })).not.toHaveProperty('previousSecretUntil');
    expect(await endpoints.delete(created.id)).toBeUndefined();
    await expect(endpoints.get(created.id)).rejects.toMatchObject(status(404));
    await expect(endpoints.delete(created.id)).rejects.toMatchObject(status(404));
  });

  it('names the kinds of the contract', () => {
    expectTypeOf<WebhookEventKind>().toEqualTypeOf<LifecycleKind>();
  });
});

describe('hf.webhooks.sources', () => {
  it('creates, lists, gets, changes, rotates and deletes', async () => {
    const { sources } = hf.webhooks;
    const { secret, ...created } = await sources.create({ eventName: 'paid', scheme: 'stripe', dedupeKey: 'id' });
    expect(secret).toMatch(/^whsec_/);
    expect(created.receiveUrl).toBe(`https://hooks.example.com/webhooks/${created.token}`);
    expect(await sources.get(created.id)).toEqual(created);
    expect(await sources.list()).toEqual([created]);
    const changed = await sources.update(created.id, { dedupeKey: null, handshake: 'slack', exposeHeaders: ['X-A'] });
    expect(changed).toMatchObject({ handshake: 'slack', exposeHeaders: ['x-a'] });
    expect(changed).not.toHaveProperty('dedupeKey');
    expect((await sources.rotate(created.id, { secret: 'a known secret' })).secret).toBe('a known secret');
    const revoked = await sources.rotate(created.id, { revokePrevious: true });
    expect(revoked.secret).toMatch(/^whsec_/);
    expect(revoked).not.toHaveProperty('previousSecretUntil');
    expect(await sources.delete(created.id)).toBeUndefined();
    await expect(sources.get(created.id)).rejects.toMatchObject(status(404));
  });

  it('reads with a public key have neither token nor address', async () => {
    const { id } = await hf.webhooks.sources.create({ eventName: 'paid' });
    const reader = new Holdfast({ baseUrl: rest.url, apiKey: rest.keys.public });
    const source = await reader.webhooks.sources.get(id);
    expect([source.token, source.receiveUrl]).toEqual([undefined, undefined]);
    await expect(reader.webhooks.sources.delete(id)).rejects.toMatchObject(status(403));
  });
});

describe('writes', () => {
  it('are sent once, and escape the id', async () => {
    const { hf, seen } = await clientOf((_seen, response) => response.writeHead(503).end('{"error":"busy"}'));
    await expect(hf.webhooks.endpoints.delete('a/b')).rejects.toMatchObject({ status: 503, message: 'busy' });
    await expect(hf.webhooks.sources.update('a/b', { enabled: true })).rejects.toMatchObject({ status: 503 });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'DELETE /webhook-endpoints/a%2Fb',
      'PATCH /webhook-sources/a%2Fb',
    ]);
  });

  it('without fields are refused before a request', async () => {
    const { hf, seen } = await clientOf((_seen, response) => response.writeHead(500).end());
    const none: never = undefined as never;
    await expect(hf.webhooks.endpoints.create(none)).rejects.toThrow('webhooks.endpoints.create needs an endpoint');
    await expect(hf.webhooks.sources.create(none)).rejects.toThrow('webhooks.sources.create needs a source');
    await expect(hf.webhooks.sources.update('s', none)).rejects.toThrow('needs the fields to change');
    expect(seen).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { verify } from '../../../src/engine/signing/index.ts';
import { serviceVersion } from '../../../src/engine/version.ts';
import { tallyOf } from '../../../src/engine/webhooks/queue/index.ts';
import { Receiver } from './receiver.ts';
import { secrets, useSite } from './site.ts';

const site = useSite();

describe('the sender', () => {
  test('posts all that is due, and settles it', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url);
    const ids = await site.scene.deliveries(60, { endpointId });
    const [custom = ''] = await site.scene.deliveries(1, {});
    await site.db.query('update webhook_delivery set url = $2 where id = $1', [custom, receiver.url]);
    await site.sender().runOnce();
    const named = receiver.received.map(({ headers }) => headers['x-service-delivery']);
    expect(named.sort()).toEqual([...ids, custom].sort());
    expect(new Set(receiver.received.map(({ method, path, body }) => `${method} ${path} ${body}`))).toEqual(
      new Set(['POST /hook {"n":1}']),
    );
    expect(await site.scene.delivery(ids[0] ?? '')).toMatchObject({
      status: 'succeeded',
      attemptCount: 1,
      lastStatusCode: 204,
    });
    expect(await site.db.prisma.webhookWork.count()).toBe(0);
    expect(tallyOf(site.engine).attempts.get('succeeded')).toBe(61);
    expect(tallyOf(site.engine).inFlight).toBe(0);
  });

  test('reuses connections', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url);
    await site.scene.deliveries(100, { endpointId });
    await site.sender().runOnce();
    expect(receiver.received).toHaveLength(100);
    expect(receiver.connections).toBeLessThan(20);
  });

  test('signs with the secret of the endpoint, and with the one before during a rotation', async () => {
    const receiver = await Receiver.open();
    const [once, twice] = [
      await site.endpoint(receiver.url),
      await site.endpoint(`${receiver.url}?2`, { rotated: true }),
    ];
    await site.scene.deliveries(1, { endpointId: once });
    await site.scene.deliveries(1, { endpointId: twice });
    await site.sender().runOnce();
    const headers = receiver.received.map((each) => String(each.headers['x-service-signature']));
    expect(headers.map((header) => header.split('&s=').length - 1).sort()).toEqual([1, 2]);
    for (const header of headers) {
      const check = (secret = '') =>
        verify({ secrets: [secret], header, body: '{"n":1}', now: new Date(), toleranceMs: 300_000 });
      expect(check(secrets[0])).toBe(true);
      expect(check(secrets[1])).toBe(header.split('&s=').length === 3);
    }
  });

  test('adds the headers of Standard Webhooks where the endpoint has that scheme', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url, { scheme: 'standard', rotated: true });
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    await site.sender().runOnce();
    const headers = receiver.received[0]?.headers ?? {};
    expect(headers).toMatchObject({
      'webhook-id': id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/),
      'x-service-signature': expect.stringMatching(/^t=\d{10}&s=[0-9a-f]{64}&s=[0-9a-f]{64}$/),
      'x-service-event': 'run.succeeded',
      'x-service-delivery': id,
    });
  });

  test('sends a custom delivery unsigned', async () => {
    const receiver = await Receiver.open();
    const [id = ''] = await site.scene.deliveries(1, {});
    await site.db.query('update webhook_delivery set url = $2 where id = $1', [id, receiver.url]);
    await site.sender().runOnce();
    const { headers } = receiver.received[0] ?? { headers: {} };
    expect(headers).toMatchObject({ 'x-service-event': 'custom', 'x-service-delivery': id });
    expect(Object.keys(headers).filter((name) => /signature|webhook-/.test(name))).toEqual([]);
  });

  test('records exactly the headers that it sent', async () => {
    const receiver = await Receiver.open((_, response) => {
      response.writeHead(200, { 'set-cookie': ['a=secret', 'b=secret'], 'x-answer': 'yes' }).end('fine');
    });
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    await site.sender().runOnce();
    const { requestHeaders, responseHeaders, responseSnippet } = await site.attemptOf(id);
    const { host: _, connection: __, ...received } = receiver.received[0]?.headers ?? {};
    const lower = Object.fromEntries(
      Object.entries(requestHeaders).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(lower).toEqual(received);
    expect(lower['user-agent']).toBe(`holdfast-webhooks/${serviceVersion}`);
    expect(responseHeaders).toMatchObject({ 'set-cookie': '[redacted]', 'x-answer': 'yes' });
    expect(responseSnippet).toBe('fine');
  });

  test('names the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    expect(serviceVersion).toBe(version);
  });

  test('skips what is for a disabled or deleted endpoint, without a request', async () => {
    const receiver = await Receiver.open();
    const disabled = await site.scene.endpoint({ url: receiver.url, enabled: false });
    const deleted = await site.endpoint(`${receiver.url}?2`);
    const [a = ''] = await site.scene.deliveries(1, { endpointId: disabled });
    const [b = ''] = await site.scene.deliveries(1, { endpointId: deleted });
    await site.db.query('delete from webhook_endpoint where id = $1', [deleted]);
    await site.sender().runOnce();
    expect(receiver.received).toEqual([]);
    expect(await site.attemptOf(a)).toMatchObject({ outcome: 'skipped', error: 'the endpoint is disabled' });
    expect(await site.attemptOf(b)).toMatchObject({ outcome: 'skipped', error: 'the endpoint was deleted' });
    expect([(await site.scene.delivery(a)).status, (await site.scene.delivery(b)).status]).toEqual(['dead', 'dead']);
  });

  test('skips a lifecycle delivery whose run is gone', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url);
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    await site.db.query('update webhook_delivery set payload = null');
    await site.sender().runOnce();
    expect(await site.attemptOf(id)).toMatchObject({
      outcome: 'skipped',
      error: expect.stringContaining('no longer exists'),
    });
  });

  test('retries later if no secret can be opened, and says so', async () => {
    const receiver = await Receiver.open();
    const endpointId = await site.endpoint(receiver.url, { secret: false });
    const [id = ''] = await site.scene.deliveries(1, { endpointId });
    await site.sender().runOnce();
    expect(receiver.received).toEqual([]);
    expect(await site.attemptOf(id)).toMatchObject({
      outcome: 'connection_error',
      error: expect.stringContaining('secret of the endpoint cannot be opened'),
    });
    expect(await site.scene.delivery(id)).toMatchObject({ status: 'failed' });
  });

  test('sends large bodies one after the other when memory for them is short', async () => {
    const receiver = await Receiver.open();
    const ids = await site.scene.deliveries(6, {});
    const large = JSON.stringify('x'.repeat(300_000));
    await site.db.query('update webhook_delivery set url = $1, payload = $2', [receiver.url, large]);
    const sender = site.sender({ bodyBytes: 100_000 });
    let most = 0;
    const stop = vi.spyOn(receiver.received, 'push').mockImplementation(function push(this: unknown[], ...items) {
      most = Math.max(most, sender.stats().bodyBytes);
      return Array.prototype.push.apply(this, items);
    });
    await sender.runOnce();
    stop.mockRestore();
    expect(receiver.received).toHaveLength(ids.length);
    expect(most).toBe(300_002);
    expect(sender.stats()).toEqual({ leases: 0, requests: 0, bodyBytes: 0 });
  });

  test('probes an endpoint that fails by one request at a time, and releases what it leased ahead', async () => {
    let isBroken = false;
    let atOnce = 0;
    let most = 0;
    const receiver = await Receiver.open(async (_, response) => {
      atOnce += 1;
      if (isBroken) most = Math.max(most, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      response.writeHead(isBroken ? 500 : 204).end();
      isBroken = receiver.received.length >= 40;
    });
    const endpointId = await site.endpoint(receiver.url);
    await site.scene.deliveries(200, { endpointId });
    await site.sender().runOnce();
    // The first failures come from the requests that were under way.
    expect(most).toBeLessThanOrEqual(10);
    expect(await site.db.prisma.webhookWork.count({ where: { leaseId: { not: null } } })).toBe(0);
    const { failures = 0 } = (await site.scene.lane(endpointId)) ?? {};
    expect(failures).toBeGreaterThanOrEqual(5);
  });
});

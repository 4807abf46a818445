import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verify } from '../../src/engine/signing/index.ts';
import { Receiver } from '../workers/webhooks/receiver.ts';
import { FlowSite, waitLimits } from './flowSite.ts';

/** Outbound webhooks, as their receivers see them. */
let site: FlowSite;

beforeAll(async () => {
  site = await FlowSite.open({ env: { ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_BACKOFF_MS: '100,100' } });
  const { hf } = site;
  hf.workflow({ id: 'pay' }, async ({ step }) => step.run('charge', () => ({ amount: 5 })));
  await site.connect(hf, 'r1');
}, 120_000);

afterAll(() => site?.close(), 30_000);

describe('an endpoint', () => {
  it('receives what it subscribes to, signed, and again after an error', async () => {
    const receiver = await Receiver.open((_, response) =>
      response.writeHead(receiver.received.length === 1 ? 503 : 204).end(),
    );
    const eventKinds = ['run.succeeded', 'step.succeeded'];
    const { status, body: endpoint } = await site.call('POST', '/webhook-endpoints', { url: receiver.url, eventKinds });
    expect(status).toBe(201);
    const { runId } = await site.trigger('pay', {});
    await vi.waitFor(() => expect(receiver.received.length).toBe(3), waitLimits);
    for (const { headers, body } of receiver.received) {
      const header = String(headers['x-service-signature']);
      expect(verify({ secrets: [endpoint.secret], header, body, now: new Date(), toleranceMs: 300_000 })).toBe(true);
      expect(JSON.parse(body)).toMatchObject({
        id: headers['x-service-delivery'],
        kind: headers['x-service-event'],
        run: { id: runId, workflow: 'pay' },
      });
    }
    const ids = receiver.received.map(({ headers }) => headers['x-service-delivery']);
    expect(new Set(ids).size).toBe(2);
    const settled = async () => (await site.get('/webhook-deliveries')).map((each: { status: string }) => each.status);
    await vi.waitFor(async () => expect(await settled()).toEqual(['succeeded', 'succeeded']), waitLimits);
    const metrics = await fetch(`${site.service().baseUrl}/metrics`, {
      headers: { authorization: `Bearer ${site.service().keys.secretKey}` },
    });
    const text = await metrics.text();
    expect(text).toContain('holdfast_webhook_attempts_total{outcome="succeeded"} 2');
    expect(text).toContain('holdfast_webhook_attempts_total{outcome="http_error"} 1');
    expect(text).toMatch(/^holdfast_webhook_(requests|due_deliveries|due_seconds|disabled_endpoints) 0$/m);
  });

  it('that is rotated is signed with both secrets at once', async () => {
    const receiver = await Receiver.open();
    const { body: endpoint } = await site.call('POST', '/webhook-endpoints', {
      url: receiver.url,
      eventKinds: ['run.succeeded'],
    });
    await site.trigger('pay', {});
    await vi.waitFor(() => expect(receiver.received.length).toBe(1), waitLimits);
    const { body: rotated } = await site.call('PATCH', `/webhook-endpoints/${endpoint.id}`, { rotateSecret: true });
    await site.trigger('pay', {});
    await vi.waitFor(() => expect(receiver.received.length).toBe(2), waitLimits);
    const second = receiver.received[1];
    const { body = '' } = second ?? {};
    const header = String(second?.headers['x-service-signature']);
    for (const secret of [endpoint.secret, rotated.secret]) {
      expect(verify({ secrets: [secret], header, body, now: new Date(), toleranceMs: 300_000 })).toBe(true);
    }
  });
});

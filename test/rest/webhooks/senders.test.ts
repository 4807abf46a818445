import { createRequire } from 'node:module';
import { Webhooks } from '@octokit/webhooks';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SourceScheme } from '../../../src/engine/webhooks/config/index.ts';
import { updateSource } from '../../../src/engine/webhooks/config/index.ts';
import { createTestSource, hmac, type TestSource } from '../../support/webhookSources.ts';
import { type Answered, type RestServer, startRest } from '../restServer.ts';

// Messages that libraries of real senders sign.

let rest: RestServer;
beforeAll(async () => {
  rest = await startRest();
});
afterAll(() => rest.close());

const body = '{"type":"invoice.paid","data":{"amount": 12.50, "text":"grüße 👋"}}\n';
const seconds = (): number => Math.floor(Date.now() / 1000);
const sourceOf = (scheme: SourceScheme, secret?: string, more: object = {}): Promise<TestSource> =>
  createTestSource(rest.engine, rest.projectId, { scheme, ...(secret !== undefined && { secret }), ...more });
const post = ({ path }: TestSource, text: string, headers: Record<string, string>): Promise<Answered> =>
  rest.call('POST', path, text, { key: null, headers });
const rotate = async (source: TestSource): Promise<string> => {
  const change = { projectId: rest.projectId, actor: 'a test', id: source.id, rotateSecret: true };
  return (await updateSource(rest.engine, change)).secret ?? '';
};
const accepted = { status: 202, body: { status: 'ingested' } };
const refused = (failureReason: string) => ({ status: 401, body: { failureReason } });

describe('Standard Webhooks', () => {
  const libraries = {
    standardwebhooks: (secret: string, id: string, at: Date, text: string) =>
      new StandardWebhook(secret).sign(id, at, text),
    svix: (secret: string, id: string, at: Date, text: string) => new SvixWebhook(secret).sign(id, at, text),
  };

  describe.each(Object.entries(libraries))('of %s', (name, sign) => {
    const prefix = name === 'svix' ? 'svix' : 'webhook';
    const headersOf = (secret: string, text: string, at = new Date()): Record<string, string> => ({
      [`${prefix}-id`]: 'msg_1',
      [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
      [`${prefix}-signature`]: sign(secret, 'msg_1', at, text),
    });

    test('are accepted, with either secret of a rotation, and with several signatures', async () => {
      const source = await sourceOf('standard');
      expect(await post(source, body, headersOf(source.secret, body))).toMatchObject(accepted);
      const renewed = await rotate(source);
      expect(await post(source, body, headersOf(renewed, body))).toMatchObject(accepted);
      const headers = headersOf(source.secret, body);
      const signature = `${prefix}-signature`;
      headers[signature] = `v1,bm9uZQ== v1a,xxxx ${headers[signature]}`;
      expect(await post(source, body, headers)).toMatchObject(accepted);
    });

    test('are refused for each of the reasons', async () => {
      const source = await sourceOf('standard');
      const headers = headersOf(source.secret, body);
      expect(await post(source, body, {})).toMatchObject(refused('missing_signature'));
      expect(await post(source, body, { ...headers, [`${prefix}-id`]: '' })).toMatchObject(
        refused('malformed_signature'),
      );
      expect(await post(source, body, { ...headers, [`${prefix}-signature`]: 'v2,x' })).toMatchObject(
        refused('malformed_signature'),
      );
      expect(await post(source, body, { ...headers, [`${prefix}-id`]: 'msg_2' })).toMatchObject(
        refused('signature_mismatch'),
      );
      const past = headersOf(source.secret, body, new Date(Date.now() - 301_000));
      expect(await post(source, body, past)).toMatchObject(refused('timestamp_out_of_tolerance'));
    });
  });
});

describe('GitHub', () => {
  const payloads = (): { name: string; examples: object[] }[] => {
    const path = createRequire(import.meta.url).resolve('@octokit/webhooks-examples');
    return createRequire(import.meta.url)(path);
  };

  test('sends real payloads, which are accepted as they are', async () => {
    const source = await sourceOf('github', 'a secret of ours');
    const webhooks = new Webhooks({ secret: source.secret });
    const examples = payloads().flatMap(({ examples: [first] }) => (first ? [JSON.stringify(first)] : []));
    expect(examples.length).toBeGreaterThan(40);
    for (const text of examples) {
      const headers = { 'x-hub-signature-256': await webhooks.sign(text), 'content-type': 'application/json' };
      expect(await post(source, text, headers)).toMatchObject(accepted);
    }
  });

  test('sends no timestamp, and other signatures are refused', async () => {
    const source = await sourceOf('github');
    const right = await new Webhooks({ secret: source.secret }).sign(body);
    expect(await post(source, body, {})).toMatchObject(refused('missing_signature'));
    expect(await post(source, body, { 'x-hub-signature-256': right.slice(7) })).toMatchObject(
      refused('malformed_signature'),
    );
    expect(await post(source, `${body} `, { 'x-hub-signature-256': right })).toMatchObject(
      refused('signature_mismatch'),
    );
    expect(
      await post(source, body, { 'x-hub-signature-256': right.toUpperCase().replace('SHA', 'sha') }),
    ).toMatchObject(accepted);
  });
});

describe('Stripe', () => {
  const header = (secret: string, payload: string, timestamp = seconds()): string =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

  test('signs with the text of its secret, and a rotated secret signs beside', async () => {
    const source = await sourceOf('stripe', `whsec_${'a'.repeat(32)}`);
    expect(await post(source, body, { 'stripe-signature': header(source.secret, body) })).toMatchObject(accepted);
    const both = `${header('whsec_other', body)},${header(source.secret, body).split(',')[1]},v0=00`;
    expect(await post(source, body, { 'stripe-signature': both })).toMatchObject(accepted);
  });

  test('is refused for each of the reasons', async () => {
    const source = await sourceOf('stripe');
    const sent = (value: string): Promise<Answered> => post(source, body, { 'stripe-signature': value });
    expect(await post(source, body, {})).toMatchObject(refused('missing_signature'));
    expect(await sent('v1=00')).toMatchObject(refused('malformed_signature'));
    expect(await sent(`t=${seconds()},v0=00`)).toMatchObject(refused('malformed_signature'));
    expect(await sent(header('whsec_other', body))).toMatchObject(refused('signature_mismatch'));
    expect(await sent(header(source.secret, body, seconds() - 301))).toMatchObject(
      refused('timestamp_out_of_tolerance'),
    );
  });
});

describe('Slack', () => {
  const slack = (secret: string, text: string, at = seconds()): Record<string, string> => ({
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${hmac(secret, `v0:${at}:`, text).toString('hex')}`,
  });
  const verification = JSON.stringify({ type: 'url_verification', challenge: 'say this', token: 'x' });

  test('gets its challenge back, verified like any other message, and no event', async () => {
    const source = await sourceOf('service', undefined, { handshake: 'slack' });
    const { status, body: answer } = await post(source, verification, slack(source.secret, verification));
    expect({ status, answer }).toEqual({ status: 200, answer: { challenge: 'say this' } });
    expect(await post(source, verification, slack('wrong', verification))).toMatchObject(refused('signature_mismatch'));
    expect(await post(source, verification, slack(source.secret, verification, seconds() - 301))).toMatchObject(
      refused('timestamp_out_of_tolerance'),
    );
    expect(await post(source, body, slack(source.secret, body))).toMatchObject(accepted);
  });

  test('is no sender of a source that does not say so', async () => {
    const source = await sourceOf('service');
    expect(await post(source, verification, slack(source.secret, verification))).toMatchObject(
      refused('missing_signature'),
    );
  });
});

describe('Meta', () => {
  const ask = ({ path }: Pick<TestSource, 'path'>, verifyToken: string, mode = 'subscribe'): Promise<Answered> => {
    const query = new URLSearchParams({ 'hub.mode': mode, 'hub.challenge': '1158', 'hub.verify_token': verifyToken });
    return rest.call('GET', `${path}?${query}`, undefined, { key: null });
  };

  test('confirms an address over GET with the secret, and then signs as GitHub does', async () => {
    const source = await sourceOf('github', undefined, { handshake: 'meta' });
    const confirmed = await ask(source, source.secret);
    expect({ status: confirmed.status, text: confirmed.text }).toEqual({ status: 200, text: '1158' });
    expect(confirmed.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await ask(source, 'wrong')).toMatchObject({ status: 401 });
    expect(await ask(source, source.secret, 'unsubscribe')).toMatchObject({ status: 401 });
    const signature = `sha256=${hmac(source.secret, body).toString('hex')}`;
    expect(await post(source, body, { 'x-hub-signature-256': signature })).toMatchObject(accepted);
  });

  test('gets 500, as its messages do, if the secret of the source cannot be read', async () => {
    const source = await sourceOf('github', undefined, { handshake: 'meta' });
    await rest.engine.db.prisma.sealedSecret.updateMany({
      where: { name: source.id, kind: 'webhook_source' },
      data: { sealed: Buffer.from('damaged') },
    });
    expect(await ask(source, source.secret)).toMatchObject({ status: 500, body: { error: 'internal error' } });
  });

  test('gets 404 from a source that does not say so, and from none', async () => {
    const source = await sourceOf('github');
    expect(await ask(source, source.secret)).toMatchObject({ status: 404 });
    expect(await ask({ path: `/webhooks/${'b'.repeat(43)}` }, 'x')).toMatchObject({ status: 404 });
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { signatureHeader } from '../../../sdk/src/index.ts';
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from '../../../sdk/src/webhooks/index.ts';
import { sign } from '../../../src/engine/signing/index.ts';
import { bytesOf, vectors } from './vectors.ts';

const secret = 'whsec_c2VjcmV0';
const t = 1_795_262_400;
const now = t * 1000;
const webhook = { id: 'd', kind: 'run.cancelled', ts: '2026-11-21T12:00:00.000Z', run: { id: 'r' } };
const body = JSON.stringify(webhook);
const signature = sign(secret, body, t);

const verdictOf = (verifying: Promise<unknown>): Promise<unknown> =>
  verifying.then(
    () => 'valid',
    (error) => (error instanceof WebhookVerificationError ? error.reason : error),
  );

describe('a vector', () => {
  it.each(vectors)('$scheme: $case', async (vector) => {
    const { headers, secrets, scheme, result } = vector;
    const bytes = bytesOf(vector);
    const options = { now: vector.now * 1000 };
    const bodies = [bytes, new Uint8Array(bytes).buffer, ...(vector.body === undefined ? [] : [vector.body])];
    for (const each of bodies) {
      expect(await verdictOf(verifyWebhook(each, headers, secrets, options))).toBe(result);
      expect(await verdictOf(verifyWebhook(each, headers, secrets, { ...options, scheme }))).toBe(result);
    }
    if (result !== 'valid') return;
    expect(await verifyWebhook(bytes, headers, secrets, options)).toEqual(JSON.parse(bytes.toString()));
  });

  it('is there for each scheme and each verdict', () => {
    const met = new Set(vectors.map(({ scheme, result }) => `${scheme}: ${result}`));
    expect(met).toHaveLength(12);
  });

  it('has the same verdict in a realm with the globals of edge runtimes, where no package can be imported', async () => {
    const realm = fileURLToPath(new URL('edgeRealm.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--experimental-vm-modules',
      '--no-warnings',
      realm,
    ]);
    const { files, verdicts } = JSON.parse(stdout);
    expect(verdicts).toEqual(vectors.map(({ result }) => result));
    expect(files).toContain('webhooks/verifyWebhook.js');
  });
});

describe('a message', () => {
  it.each<[string, WebhookHeaders]>([
    ['Headers', new Headers({ 'X-Service-Signature': signature })],
    ['a Map', new Map([['X-Service-Signature', signature]])],
    ['an object in lower case', { 'x-service-signature': signature, other: undefined }],
    ['an object in capitals', { 'X-SERVICE-SIGNATURE': signature }],
    ['an object with lists', { 'X-Service-Signature': [signature] }],
    ['pairs', [['X-Service-Signature', signature]]],
    ['a flat list', ['Host', 'a.example', 'X-Service-Signature', signature]],
  ])('is verified with %s', async (_, headers) => {
    expect(await verifyWebhook(body, headers, secret, { now })).toEqual(webhook);
  });

  it('that a view of a larger buffer holds is verified without the rest', async () => {
    const large = Buffer.from(`before${body}after`);
    const view = large.subarray('before'.length, 'before'.length + body.length);
    const headers = { 'x-service-signature': signature };
    expect(await verifyWebhook(view, headers, secret, { now })).toEqual(webhook);
    expect(
      await verifyWebhook(new DataView(view.buffer, view.byteOffset, view.length), headers, secret, { now }),
    ).toEqual(webhook);
  });

  it('is judged by the clock, unless a time is given', async () => {
    const headers = { 'x-service-signature': signatureHeader(body, secret) };
    expect(await verifyWebhook(body, headers, secret)).toEqual(webhook);
    const late = new Date(Date.now() + 302_000);
    expect(await verdictOf(verifyWebhook(body, headers, secret, { now: late }))).toBe('timestamp_out_of_tolerance');
    expect(await verifyWebhook(body, headers, secret, { now: late, toleranceMs: 400_000 })).toEqual(webhook);
    expect(await verdictOf(verifyWebhook(body, headers, secret, { now: Number.NaN }))).toBe(
      'timestamp_out_of_tolerance',
    );
  });

  it('of the other scheme is refused where the scheme is given', async () => {
    const headers = { 'x-service-signature': signature };
    expect(await verdictOf(verifyWebhook(body, headers, secret, { now, scheme: 'standard' }))).toBe(
      'missing_signature',
    );
  });

  it('in whose headers a stranger claims the scheme that the secret cannot have is a mismatch', async () => {
    const headers = { 'webhook-id': 'a', 'webhook-timestamp': String(t), 'webhook-signature': 'v1,AAAA' };
    for (const each of ['any text', 'whsec_'])
      expect(await verdictOf(verifyWebhook(body, headers, each, { now }))).toBe('signature_mismatch');
  });

  it('with a long header is refused before anything is compared', async () => {
    const headers = { 'x-service-signature': `${signature}${'&s=0'.repeat(1200)}` };
    expect(await verdictOf(verifyWebhook(body, headers, secret, { now }))).toBe('malformed_signature');
  });
});

describe('a refusal', () => {
  it('is an error with its reason, and says nothing of the secret', async () => {
    const verifying = verifyWebhook(body, { 'x-service-signature': signature }, 'other secret', { now });
    const error: unknown = await verifying.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WebhookVerificationError);
    expect(error).toMatchObject({ name: 'WebhookVerificationError', reason: 'signature_mismatch' });
    expect(String(error)).not.toContain('other secret');
  });
});

describe('an invalid call throws a TypeError that names what is expected', () => {
  /** Calls from JavaScript that no compiler would accept. */
  const verify = (...args: unknown[]): Promise<unknown> => Reflect.apply(verifyWebhook, undefined, args);
  const headers = { 'x-service-signature': signature };

  it.each<[string, unknown[], string]>([
    [
      'a parsed body',
      [webhook, headers, secret],
      'needs the raw body, as text or bytes, before any parser; it is an object',
    ],
    [
      'no secret',
      [body, headers, undefined],
      'the secret of verifyWebhook must be a string that is not empty; it is undefined',
    ],
    ['an empty secret', [body, headers, ''], 'must be a string that is not empty; it is ""'],
    ['no secrets', [body, headers, []], 'verifyWebhook needs at least one secret'],
    ['no headers', [body, undefined, secret], 'verifyWebhook needs the headers of the request; it is undefined'],
    [
      'a secret of the scheme `standard` that is not base64',
      [body, headers, 'pä55 wörd', { scheme: 'standard' }],
      'a secret of the scheme "standard" must be base64',
    ],
  ])('%s', async (_, args, message) => {
    const error: unknown = await verify(...args).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('pä55');
  });
});

import { checkText, described, MisuseError } from '../misuse.ts';
import { headerReader, type WebhookHeaders } from './headers.ts';
import type { ReceivedWebhook } from './receivedWebhook.ts';
import { schemeOf, schemes, type WebhookScheme } from './schemes.ts';
import { WebhookVerificationError } from './verificationError.ts';

/** The body as it arrived. A parsed and rewritten body has other bytes than were signed. */
export type WebhookBody = string | ArrayBuffer | ArrayBufferView;

export interface VerifyOptions {
  /** Default: the scheme of the headers. */
  scheme?: WebhookScheme | undefined;
  /** The largest difference between the signature's time and `now`. Default: 300,000. */
  toleranceMs?: number | undefined;
  /** Default: the clock. In milliseconds, if it is a number. */
  now?: Date | number | undefined;
}

/**
 * Verifies a webhook of the service, and returns its parsed body. Needs Web Crypto only, so it runs
 * in Node, Deno, Bun and edge runtimes. Several secrets may be valid at once, as during a rotation.
 *
 * Throws a `WebhookVerificationError` with its `reason` for a message that is not valid, and a
 * `TypeError` for a call that is not, such as one without a secret.
 *
 * @example
 * ```ts
 * const webhook = await verifyWebhook(await request.text(), request.headers, secret);
 * if (webhook.kind === 'run.failed') await alert(webhook.run.workflow, webhook.run.error);
 * ```
 */
export async function verifyWebhook(
  body: WebhookBody,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { scheme, toleranceMs = 300_000, now = Date.now() }: VerifyOptions = {},
): Promise<ReceivedWebhook> {
  const bytes = bytesOf(body);
  const secrets = secretsOf(secret);
  const read = headerReader(headers);
  const { claim, key, encode } = schemes[scheme ?? schemeOf(read)];
  const keys = secrets.flatMap((each) => key(each) ?? []);
  // A stranger may choose the headers, but not the scheme that the caller names.
  if (scheme !== undefined && keys.length < secrets.length)
    throw new MisuseError(`a secret of the scheme "${scheme}" must be base64, with or without "whsec_" before it`);
  const { timestamp, prefix, signatures } = claim(read);
  const signed = joined(new TextEncoder().encode(prefix), bytes);
  const expected = await Promise.all(keys.map((each) => hmac(each, signed).then(encode)));
  const fits = expected.flatMap((each) => signatures.map((signature) => isSame(signature, each)));
  if (!fits.includes(true)) throw new WebhookVerificationError('signature_mismatch');
  // Only a signer learns that the time is the fault.
  if (!(Math.abs(Number(now) - Number(timestamp) * 1000) <= toleranceMs))
    throw new WebhookVerificationError('timestamp_out_of_tolerance');
  return parsed(bytes);
}

function bytesOf(body: WebhookBody): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // The buffer may come from another realm.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body);
  throw new MisuseError(
    `verifyWebhook needs the raw body, as text or bytes, before any parser; it is ${described(body)}`,
  );
}

function secretsOf(secret: string | readonly string[]): readonly string[] {
  const secrets = [secret].flat();
  if (secrets.length === 0) throw new MisuseError('verifyWebhook needs at least one secret');
  for (const each of secrets) checkText(each, 'the secret of verifyWebhook');
  return secrets;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new Uint8Array(message)));
}

/** Takes the same time for every signature, whatever its characters and its length. */
function isSame(signature: string, expected: string): boolean {
  let difference = signature.length ^ expected.length;
  for (let at = 0; at < expected.length; at += 1) difference |= signature.charCodeAt(at) ^ expected.charCodeAt(at);
  return difference === 0;
}

function parsed(bytes: Uint8Array): ReceivedWebhook {
  const value = readJson(bytes);
  if (!isWebhook(value)) throw new WebhookVerificationError('invalid_body');
  return value;
}

function readJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The rest is as the service wrote it: the signature says so. */
const isWebhook = (value: unknown): value is ReceivedWebhook =>
  isObject(value) &&
  typeof value['id'] === 'string' &&
  typeof value['kind'] === 'string' &&
  typeof value['ts'] === 'string' &&
  isObject(value['run']);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

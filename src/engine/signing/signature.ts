import { createHmac } from 'node:crypto';
import { verifyService } from './schemes/service.ts';

/** The header of a signature, on invokes and on webhooks (5.6). */
export const signatureHeader = 'X-Service-Signature';

/**
 * The header's value for a body: `t=<seconds>&s=<hex>`. During a rotation there is an `s` for each
 * of the two secrets. `nowSeconds` is Unix time; fractions are dropped.
 */
export function sign(secret: string | readonly string[], body: string | Uint8Array, nowSeconds: number): string {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets.length === 0) throw new TypeError('nothing to sign with');
  const timestamp = String(Math.floor(nowSeconds));
  const signatures = secrets.map((each) => `&s=${digest(each, timestamp, body).toString('hex')}`);
  return `t=${timestamp}${signatures.join('')}`;
}

/** HMAC-SHA256 over `<timestamp>.<body>`, keyed by the UTF-8 bytes of the secret. */
export const digest = (secret: string, timestamp: string, body: string | Uint8Array): Buffer =>
  createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();

export interface Verification {
  /** All valid secrets. During a rotation there are two. */
  secrets: readonly string[];
  /** As received; undefined if missing. */
  header: string | undefined;
  /** The bytes as received, or their text. */
  body: string | Uint8Array;
  now: Date;
  /** The maximum distance between the timestamp and `now`, in both directions. */
  toleranceMs: number;
}

/** Whether one of the secrets signed this body, at a time within the tolerance. */
export const verify = ({ header, body, ...rest }: Verification): boolean =>
  verifyService({ ...rest, header: () => header, body: typeof body === 'string' ? Buffer.from(body) : body }) ===
  undefined;

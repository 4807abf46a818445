import { createHmac } from 'node:crypto';

/** The header that carries a signature, on invokes and on webhooks (5.6). */
export const signatureHeader = 'X-Service-Signature';

/**
 * The header's value for a body: `t=<seconds>&s=<hex>`, one `s` per secret while a rotation has two of them valid.
 * `nowSeconds` is Unix time; fractions are dropped.
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

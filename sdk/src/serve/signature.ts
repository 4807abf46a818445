import { createHmac, timingSafeEqual } from 'node:crypto';

/** The largest difference between the clocks of the service and the runner. */
export const toleranceMs = 300_000;

export type SignatureVerdict = 'valid' | 'missing' | 'malformed' | 'out of tolerance' | 'mismatch';

/**
 * Checks an `X-Service-Signature` header, `t=<unix seconds>&s=<hex>`: the HMAC-SHA256 over
 * `<t>.<raw body>`. Accepts several `s` and several secrets, of which one pair must match. Compares
 * in constant time.
 */
export function verifySignature(
  header: string | null | undefined,
  body: Uint8Array,
  secret: string | readonly string[],
  now: number = Date.now(),
): SignatureVerdict {
  if (header === null || header === undefined || header === '') return 'missing';
  const parts = new URLSearchParams(header);
  const [timestamp] = parts.getAll('t');
  const signatures = parts.getAll('s');
  if (timestamp === undefined || !/^\d{1,12}$/.test(timestamp) || signatures.length === 0) return 'malformed';
  if (Math.abs(now - Number(timestamp) * 1000) > toleranceMs) return 'out of tolerance';
  const fits = [secret].flat().flatMap((each) => {
    const expected = createHmac('sha256', each).update(`${timestamp}.`).update(body).digest();
    return signatures.map((signature) => isSame(signature, expected));
  });
  return fits.includes(true) ? 'valid' : 'mismatch';
}

/** Makes the header that `verifySignature` accepts, for tests of your handler. */
export function signatureHeader(body: string | Uint8Array, secret: string, now: number = Date.now()): string {
  const timestamp = Math.floor(now / 1000);
  return `t=${timestamp}&s=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

function isSame(signature: string, expected: Buffer): boolean {
  const given = Buffer.from(/^[0-9a-f]{64}$/i.test(signature) ? signature : '', 'hex');
  // If the lengths differ, compares a value with itself, so that the time reveals nothing.
  return timingSafeEqual(given.length === expected.length ? given : expected, expected) && given.length > 0;
}

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

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

/** Limits the work that an unknown sender's header can cause. */
const maxHeaderLength = 2048;
const maxSignatures = 8;

/**
 * Whether one of the secrets signed this body, at a time within the tolerance. The duration depends
 * neither on which secret matches, nor on the length of a wrong signature.
 */
export function verify({ secrets, header, body, now, toleranceMs }: Verification): boolean {
  const parsed = parseHeader(header);
  if (!parsed) return false;
  const age = now.getTime() - Number(parsed.timestamp) * 1000;
  if (Math.abs(age) > toleranceMs) return false;
  let valid = false;
  for (const secret of secrets) {
    const expected = digest(secret, parsed.timestamp, body).toString('hex');
    for (const signature of parsed.signatures) {
      if (equalInConstantTime(expected, signature)) valid = true;
    }
  }
  return valid;
}

interface ParsedHeader {
  /** As sent, because the signature covers its characters. */
  timestamp: string;
  signatures: string[];
}

function parseHeader(header: string | undefined): ParsedHeader | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined;
  const timestamps: string[] = [];
  const signatures: string[] = [];
  for (const pair of header.split('&')) {
    const value = pair.slice(2).trim();
    if (pair.startsWith('t=')) timestamps.push(value);
    else if (pair.startsWith('s=')) signatures.push(value.toLowerCase());
  }
  const [timestamp] = timestamps;
  if (timestamp === undefined || timestamps.length > 1 || !/^\d{1,12}$/.test(timestamp)) return undefined;
  return signatures.length === 0 || signatures.length > maxSignatures ? undefined : { timestamp, signatures };
}

/** Hashes give both texts the same length, and reveal nothing about them. */
const equalInConstantTime = (left: string, right: string): boolean => timingSafeEqual(sha256(left), sha256(right));

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Why a message does not verify (2.10). */
export const signatureFaults = [
  'missing_signature',
  'malformed_signature',
  'timestamp_out_of_tolerance',
  'signature_mismatch',
] as const;
export type SignatureFault = (typeof signatureFaults)[number];

/** A message as it was received, with the secrets that may have signed it. */
export interface SignedMessage {
  /** The value of a header, by its name in lower case. Values of equal names are joined. */
  header(name: string): string | undefined;
  /** The bytes as received. */
  body: Uint8Array;
  /** All valid secrets. During a rotation there are two. */
  secrets: readonly string[];
  now: Date;
  /** The maximum distance between the timestamp and `now`, in both directions. */
  toleranceMs: number;
}

/** The claim of a header: signatures in one encoding, over a text before the body. */
export interface Claim {
  /** The text that is signed before the body. */
  prefix: string;
  encoding: 'hex' | 'base64';
  /** As received. */
  signatures: readonly string[];
  /** The key of a secret. */
  keyOf(secret: string): string | Uint8Array;
  /** Unix seconds; undefined if the scheme has no timestamp. */
  timestamp: string | undefined;
}

/** Limits the work that an unknown sender's header can cause. */
export const maxHeaderLength = 4096;
export const maxSignatures = 16;

export const isTimestamp = (text: string | undefined): text is string => text !== undefined && /^\d{1,12}$/.test(text);

/**
 * The fault of a message; undefined if a secret signed it, within the tolerance. A forged signature
 * is a mismatch, however old it is: only a signer learns that the timestamp is the fault. The
 * duration depends neither on which secret matches, nor on the length of a wrong signature.
 */
export function faultOf(claim: Claim, { body, secrets, now, toleranceMs }: SignedMessage): SignatureFault | undefined {
  let isSigned = false;
  for (const secret of secrets) {
    const hmac = createHmac('sha256', claim.keyOf(secret)).update(claim.prefix).update(body);
    const expected = hmac.digest(claim.encoding);
    for (const signature of claim.signatures) if (equalInConstantTime(expected, signature)) isSigned = true;
  }
  if (!isSigned) return 'signature_mismatch';
  if (claim.timestamp === undefined) return undefined;
  const age = now.getTime() - Number(claim.timestamp) * 1000;
  return Math.abs(age) > toleranceMs ? 'timestamp_out_of_tolerance' : undefined;
}

/** Hashes give both texts the same length, and reveal nothing about them. */
export const equalInConstantTime = (left: string, right: string): boolean =>
  timingSafeEqual(sha256(left), sha256(right));

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

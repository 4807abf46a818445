import { randomBytes } from 'node:crypto';

/** After a rotation, the old secret is valid beside the new one for a day. */
export const overlapMs = 86_400_000;

/**
 * A new signing secret (5.6). The key is its text; only the scheme `standard` takes the bytes that
 * it encodes.
 */
export const mintSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

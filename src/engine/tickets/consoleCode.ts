import type { EngineContext } from '../context.ts';
import { unauthenticated } from '../errors.ts';
import { mintToken, type Presence } from '../keys/index.ts';
import { openSecret, sealSecret, UnreadableSealError } from '../secrets/index.ts';
import { lifeMs, storeTicket } from './issueTicket.ts';
import { takeTicket } from './takeTicket.ts';

/** Begins every code, so that scanners recognize a leaked one. */
const codePrefix = 'hf_cc_';

export interface IssuedCode {
  /** The code itself, which is shown only here. */
  code: string;
  expiresAt: Date;
}

export interface NewCode {
  projectId: string;
  keyId: string;
  /** The key that the code opens. */
  key: string;
}

/**
 * Issues a code that is exchanged for a key once, within a minute. Until then the key is stored,
 * sealed for this code. Throws `invalid` if the key has too many unused codes and tickets.
 */
export async function issueConsoleCode(ctx: EngineContext, { projectId, keyId, key }: NewCode): Promise<IssuedCode> {
  const { token: code, hash: tokenHash } = mintToken(codePrefix);
  const sealedKey = sealSecret(ctx, key, boundTo(tokenHash.toString('hex')));
  return { code, expiresAt: await storeTicket(ctx, { tokenHash, projectId, keyId, sealedKey }) };
}

export interface Redeemed {
  key: string;
  projectId: string;
}

/** Exchanges a code for its key. Throws `unauthenticated`, and `busy` like `takeTicket`. */
export async function redeemConsoleCode(ctx: EngineContext, code: string, caller: Presence): Promise<Redeemed> {
  const taken = await takeTicket(ctx, { ticket: code, prefix: codePrefix, isGone: () => caller.isGone() });
  const key = taken?.sealedKey && openIfReadable(ctx, taken.sealedKey, taken.hash);
  if (!taken || key === undefined || key === null) throw refusedCode();
  return { key, projectId: taken.projectId };
}

const refusedCode = (): Error =>
  unauthenticated(
    `the sign-in code is unknown, used, older than ${lifeMs / 1000} seconds, or its key has ended: get another one`,
  );

/** Undefined if the operator key has changed since. */
function openIfReadable(ctx: EngineContext, sealed: Buffer, hash: string): string | undefined {
  try {
    return openSecret(ctx, sealed, boundTo(hash));
  } catch (error) {
    if (error instanceof UnreadableSealError) return undefined;
    throw error;
  }
}

/** Sealed bytes of one code do not open as those of another. */
const boundTo = (hash: string): string => `console_code/${hash}`;

import type { EngineContext } from '../../context.ts';
import { equalInConstantTime } from '../../signing/index.ts';
import { findMessageSource, type MessageSource, type SourceQuestion, secretsOf } from './messageSource.ts';

/** The query of Meta's request that confirms an address. */
export interface MetaQuery {
  mode: string | undefined;
  verifyToken: string | undefined;
  challenge: string | undefined;
}

/**
 * `unknown`: no such source, or it expects no handshake. `unauthorized`: the secret is wrong.
 * `misconfigured`: the secret of the source cannot be read.
 */
export type HandshakeAnswer = { challenge: string } | 'unknown' | 'unauthorized' | 'misconfigured';

const maxChallengeLength = 1_000;

/**
 * Answers the handshake of Meta over `GET`: its `hub.verify_token` must be a secret of the source,
 * compared in constant time.
 */
export async function confirmAddress(
  ctx: EngineContext,
  asked: SourceQuestion,
  { mode, verifyToken = '', challenge }: MetaQuery,
): Promise<HandshakeAnswer> {
  // Asked once by a person who sets up the source, so it is always read anew.
  const source = await findMessageSource(ctx, { ...asked, sinceMs: performance.now() });
  if (source?.handshake !== 'meta') return 'unknown';
  const secrets = secretsOf(ctx, source);
  if (!secrets) return 'misconfigured';
  let isKnown = false;
  for (const secret of secrets) if (equalInConstantTime(secret, verifyToken)) isKnown = true;
  if (!isKnown || mode !== 'subscribe' || challenge === undefined || challenge.length > maxChallengeLength)
    return 'unauthorized';
  return { challenge };
}

/** The challenge of Slack's `url_verification`, if a verified body of such a source is one. */
export function slackChallenge({ handshake }: MessageSource, value: unknown): string | undefined {
  if (handshake !== 'slack' || typeof value !== 'object' || value === null) return undefined;
  if (!('type' in value) || value.type !== 'url_verification' || !('challenge' in value)) return undefined;
  return typeof value.challenge === 'string' ? value.challenge : undefined;
}

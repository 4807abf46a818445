import type { EngineContext } from '../../context.ts';
import { KeyLookUp } from '../../keys/index.ts';
import { perEngine } from '../../perEngine.ts';
import { openWebhookSecret, overlapMs } from '../../secrets/index.ts';
import { hashToken, isToken } from '../config/index.ts';
import { findMessageSources, type MessageSourceRow, type SealedSourceRow } from './sql/findMessageSources.ts';

/** A source with its secrets, as a process keeps it for a moment. */
export interface MessageSource extends MessageSourceRow {
  /** The signing secret; undefined if it cannot be read. */
  secret: string | undefined;
  /** The former secret of a rotation. */
  previous: { secret: string; replacedAt: Date } | undefined;
}

const secretKind = 'webhook_source';
const previousKind = 'webhook_source_previous';

/** How long a process uses its copy of a source. Writes and refusals check it first. */
const maxAgeMs = 2_000;
/** How long a process may refuse a source that was just created. */
const missMs = 1_000;
/** A read takes milliseconds, so a full queue is empty again after few of them. */
const strangers = { atOnce: 2, maxTogether: 500, maxWaiting: 2_000 };

const lookUpOf = perEngine(
  (ctx) => new KeyLookUp<MessageSource>({ maxAgeMs, missMs, strangers, load: (hashes) => readSources(ctx, hashes) }),
);

/** SHA-256 of a token in hex, by which it is looked up; undefined if no token has this shape. */
export const tokenHash = (token: string): string | undefined =>
  isToken(token) ? hashToken(token).toString('hex') : undefined;

export interface SourceQuestion {
  hash: string;
  isGone: () => boolean;
  /** The copy was read no earlier: an instant of the monotonic clock. */
  sinceMs?: number | undefined;
}

/**
 * The enabled source with a token; undefined if there is none. The process remembers its sources
 * and recent misses, a bounded number of each. Throws `busy` if too many tokens are being looked
 * up.
 */
export async function findMessageSource(
  ctx: EngineContext,
  { hash, isGone, sinceMs }: SourceQuestion,
): Promise<MessageSource | undefined> {
  const source = await lookUpOf(ctx).get(hash, isGone, sinceMs);
  if (!source || source.enabled) return source;
  // The copy may be older than the change that enabled the source.
  return sinceMs === undefined ? findMessageSource(ctx, { hash, isGone, sinceMs: performance.now() }) : undefined;
}

/** The secrets that may sign a message now; undefined if the current one cannot be read. */
export function secretsOf(ctx: EngineContext, { secret, previous }: MessageSource): string[] | undefined {
  if (secret === undefined) return undefined;
  const overlaps = previous && ctx.clock.now().getTime() - previous.replacedAt.getTime() < overlapMs;
  return overlaps ? [secret, previous.secret] : [secret];
}

async function readSources(ctx: EngineContext, hashes: readonly string[]): Promise<ReadonlyMap<string, MessageSource>> {
  const rows = await findMessageSources(ctx.db, {
    hashes: hashes.map((hash) => Buffer.from(hash, 'hex')),
    kind: secretKind,
    previousKind,
  });
  return new Map(rows.map((row) => [row.hash, opened(ctx, row)]));
}

function opened(ctx: EngineContext, { secret, previous, previousAt, hash: _, ...row }: SealedSourceRow): MessageSource {
  const open = (kind: string, sealed: Buffer | null): string | undefined =>
    sealed ? openWebhookSecret(ctx, { projectId: row.projectId, kind, name: row.id }, sealed) : undefined;
  const former = open(previousKind, previous);
  return {
    ...row,
    secret: open(secretKind, secret),
    previous: former !== undefined && previousAt ? { secret: former, replacedAt: previousAt } : undefined,
  };
}

import { createHash } from 'node:crypto';
import type { EngineContext } from '../../context.ts';
import { KeyLookUp } from '../../keys/index.ts';
import { perEngine } from '../../perEngine.ts';
import { openSecret } from '../../secrets/index.ts';
import { findSources, type SourceRow, type SourceSecretsRow } from './sql/findSources.ts';

/** A source with its secrets, as a process keeps it for a moment. */
export interface Source extends SourceRow {
  /** The signing secret; undefined if it cannot be read. */
  secret: string | undefined;
  /** The former secret of a rotation. */
  previous: { secret: string; replacedAt: Date } | undefined;
}

/** After a rotation, messages that the former secret signed are accepted for a day. */
const overlapMs = 86_400_000;

/** How long a process uses its copy of a source. Writes and refusals check it first. */
const maxAgeMs = 2_000;
/** How long a process may refuse a source that was just created. */
const missMs = 1_000;
/** A read takes milliseconds, so a full queue is empty again after few of them. */
const strangers = { atOnce: 2, maxTogether: 500, maxWaiting: 2_000 };

/** Tokens are random, or adopted: 16 to 128 URL-safe characters. */
const tokenShape = /^[\w-]{16,128}$/;

const lookUpOf = perEngine(
  (ctx) => new KeyLookUp<Source>({ maxAgeMs, missMs, strangers, load: (hashes) => readSources(ctx, hashes) }),
);

/** SHA-256 of a token in hex, by which it is looked up; undefined if no token has this shape. */
export const tokenHash = (token: string): string | undefined =>
  tokenShape.test(token) ? createHash('sha256').update(token, 'utf8').digest('hex') : undefined;

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
export async function findSource(
  ctx: EngineContext,
  { hash, isGone, sinceMs }: SourceQuestion,
): Promise<Source | undefined> {
  const source = await lookUpOf(ctx).get(hash, isGone, sinceMs);
  if (!source || source.enabled) return source;
  // The copy may be older than the change that enabled the source.
  return sinceMs === undefined ? findSource(ctx, { hash, isGone, sinceMs: performance.now() }) : undefined;
}

/** The secrets that may sign a message now; undefined if the current one cannot be read. */
export function secretsOf(ctx: EngineContext, { secret, previous }: Source): string[] | undefined {
  if (secret === undefined) return undefined;
  const overlaps = previous && ctx.clock.now().getTime() - previous.replacedAt.getTime() < overlapMs;
  return overlaps ? [secret, previous.secret] : [secret];
}

async function readSources(ctx: EngineContext, hashes: readonly string[]): Promise<ReadonlyMap<string, Source>> {
  const rows = await findSources(ctx.db, {
    hashes: hashes.map((hash) => Buffer.from(hash, 'hex')),
    kind: 'webhook_source',
    previousKind: 'webhook_source_previous',
  });
  return new Map(rows.map((row) => [row.hash, opened(ctx, row)]));
}

function opened(ctx: EngineContext, { secret, previous, previousAt, hash: _, ...row }: SourceSecretsRow): Source {
  const former = openedIfReadable(ctx, row, 'webhook_source_previous', previous);
  return {
    ...row,
    secret: openedIfReadable(ctx, row, 'webhook_source', secret),
    previous: former !== undefined && previousAt ? { secret: former, replacedAt: previousAt } : undefined,
  };
}

/** A secret that is missing, damaged or sealed under another operator key cannot be read. */
function openedIfReadable(
  ctx: EngineContext,
  { projectId, id }: SourceRow,
  kind: string,
  sealed: Buffer | null,
): string | undefined {
  if (!sealed) return undefined;
  try {
    return openSecret(ctx, sealed, `${projectId}/${kind}/${id}`);
  } catch (error) {
    ctx.log.warn({ err: error, projectId, sourceId: id, kind }, 'the secret of a webhook source cannot be read');
    return undefined;
  }
}

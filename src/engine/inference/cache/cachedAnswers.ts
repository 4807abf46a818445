import { BoundedCache } from '../../boundedCache.ts';
import type { EngineContext } from '../../context.ts';
import { perEngine } from '../../perEngine.ts';
import { deleteExpiredCached } from '../sql/deleteExpiredCached.ts';
import { evictCached } from '../sql/evictCached.ts';
import { putCached } from '../sql/putCached.ts';
import { takeCached } from '../sql/takeCached.ts';

/** Where an answer is kept. */
export interface CacheRef {
  projectId: string;
  key: Buffer;
}

/** The largest answer that is kept, in bytes. */
export const maxCachedBytes = 256 * 1024;

/** The JSON text that was kept under a key; undefined: none, or it has expired. */
export async function readCached(ctx: EngineContext, ref: CacheRef): Promise<string | undefined> {
  const [row] = await takeCached(ctx.db, { ...ref, ttlMs: ctx.settings.inference.cacheTtlMs, now: ctx.clock.sql() });
  return row?.answer;
}

/**
 * Keeps an answer, as JSON text. Then removes the least recently used answers of the project, if
 * all of them together are too large. Their sizes are added up only after some more were kept.
 */
export async function keepCached(ctx: EngineContext, ref: CacheRef, answer: string): Promise<void> {
  const { cacheMaxBytes: maxBytes } = ctx.settings.inference;
  const bytes = Buffer.byteLength(answer);
  if (bytes > Math.min(maxCachedBytes, maxBytes)) return;
  await putCached(ctx.db, { ...ref, answer, bytes, now: ctx.clock.sql() });
  const { projectId } = ref;
  const kept = keptBytes(ctx);
  const unchecked = (kept.get(projectId) ?? Number.POSITIVE_INFINITY) + bytes;
  kept.set(projectId, unchecked);
  if (unchecked < maxBytes / checksPerCache) return;
  // Where one answer is a large part of all, each is checked, and nothing is freed in advance.
  const targetBytes = bytes < maxBytes / checksPerCache ? maxBytes * (1 - slack) : maxBytes;
  await evictCached(ctx.db, { projectId, maxBytes, targetBytes });
  kept.set(projectId, 0);
}

/** Answers of at most this part of the bound are kept between two checks of a process. */
const checksPerCache = 128;
/** The part that is freed beyond the bound, so that evictions are few. */
const slack = 1 / 16;

const maxProjects = 10_000;

/** The bytes that this process has kept since it last checked the bound, by project. */
const keptBytes = perEngine(() => new BoundedCache<string, number>(maxProjects));

const pageSize = 2_000;

interface Forgotten {
  forgotten: number;
  full: boolean;
}

/** Deletes expired answers, one page at a time. `full`: there may be more. */
export async function forgetCached(ctx: EngineContext, limit = pageSize): Promise<Forgotten> {
  const { cacheTtlMs: ttlMs } = ctx.settings.inference;
  const [row] = await deleteExpiredCached(ctx.db, { limit, ttlMs, now: ctx.clock.sql() });
  const forgotten = row?.deleted ?? 0;
  return { forgotten, full: forgotten === limit };
}

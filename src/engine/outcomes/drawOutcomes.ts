import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import { retryTransient } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import { endRuns } from './endRuns.ts';
import { listOutcomes } from './sql/listOutcomes.ts';
import { loadOutcomes } from './sql/loadOutcomes.ts';
import { openChildren } from './sql/openChildren.ts';
import { concludeOutcomes } from './startFollowOn.ts';
import { tellParents } from './tellParents.ts';

/** Children that are looked up at once, and that are ended at once. */
const maxChildren = 20_000;
const childrenPage = 500;
const olderThanMs = 5_000;
const recoverPage = 200;

/** One flush at a time: several would wait for each other at the parents that they share. */
const batcherOf = perEngine((ctx) => {
  const flush = (ids: string[]): Promise<true[]> => drawAll(ctx, ids).then(() => ids.map(() => true));
  return new Batcher({ flush, maxItems: 500, maxInFlight: 1, maxQueued: 100_000 });
});

/**
 * Draws the consequences of runs that ended: tells the parents, cancels children that are still
 * under way (their own outcomes follow), starts the follow-on runs of failures. Runs that end
 * meanwhile go together in the next turn, so that a thousand children cost their parent a few
 * wake-ups. Each part may be repeated without harm, and the last one takes the runs off the list:
 * if the process dies in between, `recoverOutcomes` starts over.
 */
export async function drawOutcomes(ctx: EngineContext, runIds: readonly string[]): Promise<void> {
  const queue = batcherOf(ctx);
  await Promise.all(runIds.map((runId) => queue.add(runId)));
}

async function drawAll(ctx: EngineContext, runIds: readonly string[]): Promise<void> {
  const outcomes = await loadOutcomes(ctx.db, { runIds });
  if (outcomes.length === 0) return;
  await tellParents(ctx, outcomes);
  await cancelChildren(ctx, runIds);
  await concludeOutcomes(ctx, outcomes);
}

/** Runs that are over can spawn no more: what is found is all there is. */
async function cancelChildren(ctx: EngineContext, runIds: readonly string[]): Promise<void> {
  for (;;) {
    const children = await openChildren(ctx.db, { runIds, limit: maxChildren });
    if (children.length === 0) return;
    for (let start = 0; start < children.length; start += childrenPage) {
      await cancelPage(ctx, children.slice(start, start + childrenPage));
    }
  }
}

async function cancelPage(ctx: EngineContext, children: readonly { id: string }[]): Promise<void> {
  const ends = children.map((child) => ({ runId: child.id, error: undefined }));
  const reason = 'the parent run is over';
  const ended = await endRuns(ctx, { status: 'cancelled', ends, projectId: null, onlyStranded: false, reason });
  await drawAll(
    ctx,
    ended.map((row) => row.runId),
  );
}

/** Draws what processes that died left behind. Answers how many runs it took up. */
export async function recoverOutcomes(ctx: EngineContext): Promise<number> {
  const rows = await listOutcomes(ctx.db, { olderThanMs, limit: recoverPage, now: ctx.clock.sql() });
  await drawOutcomes(
    ctx,
    rows.map((row) => row.runId),
  );
  return rows.length;
}

/**
 * The same without waiting for it: what fails again and again is found by `recoverOutcomes`, which
 * looks less often.
 */
export function drawOutcomesSoon(ctx: EngineContext, runIds: readonly string[]): void {
  retryTransient(() => drawOutcomes(ctx, runIds)).catch((error: unknown) => {
    ctx.log.warn({ error, runs: runIds.length }, 'consequences of finished runs are drawn later');
  });
}

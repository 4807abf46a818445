import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import { retryTransient } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import { cancelChildren } from './cancelChildren.ts';
import { listOutcomes } from './sql/listOutcomes.ts';
import { loadOutcomes } from './sql/loadOutcomes.ts';
import { concludeConsequences } from './startFollowOn.ts';
import { tellParents } from './tellParents.ts';

const olderThanMs = 5_000;
const recoverPage = 200;

/** One flush at a time, because several would wait for each other's locks on shared parents. */
const batcherOf = perEngine((ctx) => {
  const flush = (ids: string[]): Promise<true[]> => drawAll(ctx, ids).then(() => ids.map(() => true));
  return new Batcher({ flush, maxItems: 500, maxInFlight: 1, maxQueued: 100_000 });
});

/**
 * Draws the consequences of runs that ended: settles the steps of their parents, cancels their
 * unfinished children, starts the follow-on runs of failures. Runs that end meanwhile form the next
 * batch, so a thousand children wake their parent only a few times.
 *
 * Each part may be repeated without harm. The last one deletes the rows of `run_outcome`. If the
 * process dies in between, `recoverConsequences` starts over.
 */
export async function drawConsequences(ctx: EngineContext, runIds: readonly string[]): Promise<void> {
  const queue = batcherOf(ctx);
  await Promise.all(runIds.map((runId) => queue.add(runId)));
}

async function drawAll(ctx: EngineContext, runIds: readonly string[]): Promise<void> {
  const outcomes = await loadOutcomes(ctx.db, { runIds });
  if (outcomes.length === 0) return;
  await tellParents(ctx, outcomes);
  await cancelChildren(ctx, runIds, (ended) => drawAll(ctx, ended));
  await concludeConsequences(ctx, outcomes);
}

/** Draws the consequences that dead processes left undrawn. Answers the number of runs. */
export async function recoverConsequences(ctx: EngineContext): Promise<number> {
  const rows = await listOutcomes(ctx.db, { olderThanMs, limit: recoverPage, now: ctx.clock.sql() });
  await drawConsequences(
    ctx,
    rows.map((row) => row.runId),
  );
  return rows.length;
}

/** The same in the background. `recoverConsequences` retries what fails repeatedly. */
export function drawConsequencesSoon(ctx: EngineContext, runIds: readonly string[]): void {
  retryTransient(() => drawConsequences(ctx, runIds)).catch((error: unknown) => {
    ctx.log.warn({ error, runs: runIds.length }, 'drawing the consequences of ended runs failed: retrying later');
  });
}

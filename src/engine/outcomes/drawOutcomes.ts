import type { EngineContext } from '../context.ts';
import { endRuns } from './endRuns.ts';
import { listOutcomes } from './sql/listOutcomes.ts';
import { loadOutcomes, type OutcomeRow } from './sql/loadOutcomes.ts';
import { openChildren } from './sql/openChildren.ts';
import { concludeOutcome } from './startFollowOn.ts';
import { tellParent } from './tellParent.ts';

const childrenPage = 500;
const olderThanMs = 5_000;
const recoverPage = 200;

/**
 * Draws the consequences of runs that ended: tells the parent, cancels children that are still under way (their own
 * outcomes follow), starts the follow-on run of a failure. Each part may be repeated without harm, and the last one takes
 * the run off the list: if the process dies in between, `recoverOutcomes` starts over.
 */
export async function drawOutcomes(ctx: EngineContext, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  for (const outcome of await loadOutcomes(ctx.db, { runIds })) await draw(ctx, outcome);
}

async function draw(ctx: EngineContext, outcome: OutcomeRow): Promise<void> {
  await tellParent(ctx, outcome);
  await cancelChildren(ctx, outcome.run_id);
  await concludeOutcome(ctx, outcome);
}

/** A run that is over can spawn no more: what is found is all there is. */
async function cancelChildren(ctx: EngineContext, runId: string): Promise<void> {
  for (;;) {
    const children = await openChildren(ctx.db, { runId, limit: childrenPage });
    if (children.length === 0) return;
    const ends = children.map((child) => ({ runId: child.id, error: undefined }));
    const ending = { status: 'cancelled', ends, projectId: null, onlyStranded: false } as const;
    const ended = await endRuns(ctx, ending, 'the parent run is over');
    await drawOutcomes(
      ctx,
      ended.map((row) => row.run_id),
    );
  }
}

/** Draws what processes that died left behind. Answers how many runs it took up. */
export async function recoverOutcomes(ctx: EngineContext): Promise<number> {
  const rows = await listOutcomes(ctx.db, { olderThanMs, limit: recoverPage, now: ctx.clock.sql() });
  await drawOutcomes(
    ctx,
    rows.map((row) => row.run_id),
  );
  return rows.length;
}

/** The same without waiting for it: what fails is found again by `recoverOutcomes`. */
export function drawOutcomesSoon(ctx: EngineContext, runIds: readonly string[]): void {
  drawOutcomes(ctx, runIds).catch((error: unknown) => {
    ctx.log.warn({ error, runs: runIds.length }, 'consequences of finished runs are drawn later');
  });
}

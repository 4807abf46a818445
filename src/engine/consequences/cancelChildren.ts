import type { EngineContext } from '../context.ts';
import { endRuns } from './endRuns.ts';
import { openChildren } from './sql/openChildren.ts';

/** Children that one query finds, and that one transaction ends. */
const maxChildren = 20_000;
const childrenPage = 500;

/**
 * Cancels the unfinished children of runs that ended. `draw` draws the consequences of each page,
 * and so cancels the whole subtree. A run that has ended starts no more children, so the query
 * finds all of them.
 */
export async function cancelChildren(
  ctx: EngineContext,
  runIds: readonly string[],
  draw: (endedRunIds: readonly string[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const children = await openChildren(ctx.db, { runIds, limit: maxChildren });
    if (children.length === 0) return;
    for (let start = 0; start < children.length; start += childrenPage) {
      const ends = children.slice(start, start + childrenPage).map(({ id: runId }) => ({ runId, error: undefined }));
      const reason = 'the parent run is over';
      const ended = await endRuns(ctx, { status: 'cancelled', ends, projectId: null, onlyStranded: false, reason });
      await draw(ended.map((row) => row.runId));
    }
  }
}

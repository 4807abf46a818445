import type { EngineContext } from '../context.ts';
import { dropPausedOrphans } from './sql/dropPausedOrphans.ts';

const pageSize = 1_000;

/** A place in the table of calls. */
export interface CallPlace {
  runId: string;
  stepIndex: number;
}

/** Sorts before all calls. */
export const firstCall: CallPlace = { runId: '00000000-0000-0000-0000-000000000000', stepIndex: 0 };

/**
 * Deletes paused calls of runs that a version without model calls has ended; of one page, after a
 * place. No claim finds them. `full`: the next page is due at once.
 */
export async function forgetOrphans(
  ctx: EngineContext,
  { after, limit = pageSize }: { after: CallPlace; limit?: number },
): Promise<{ forgotten: number; full: boolean; next: CallPlace }> {
  const { runId: afterRunId, stepIndex: afterStepIndex } = after;
  const [page] = await dropPausedOrphans(ctx.db, { afterRunId, afterStepIndex, limit });
  if (!page) throw new Error('a page of model calls was not answered');
  const { dropped: forgotten, nextRunId: runId, nextStepIndex: stepIndex } = page;
  const next = runId === null || stepIndex === null ? undefined : { runId, stepIndex };
  return { forgotten, full: forgotten > 0 && next !== undefined, next: next ?? firstCall };
}

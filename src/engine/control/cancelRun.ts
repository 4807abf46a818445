import { recordControl } from '../audit/index.ts';
import { drawConsequencesSoon, endRuns } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { type ControlCall, findTarget } from './target.ts';

/**
 * Cancels an unfinished run (4.6), even a paused or executing run. Its steps and waits end, its
 * dispatcher drops it, and its unfinished children are cancelled, too. Throws `notFound`, and
 * `conflict` if the run has ended.
 */
export async function cancelRun(ctx: EngineContext, call: ControlCall): Promise<void> {
  const { projectId, runId, actor } = call;
  if (!isId(runId)) throw notFound('run not found');
  const ends = [{ runId, error: undefined }];
  const reason = 'the run was cancelled';
  const rows = await endRuns(ctx, { status: 'cancelled', ends, projectId, onlyStranded: false, reason });
  if (rows.length === 0) {
    await findTarget(ctx.db, call);
    throw conflict('runTerminal');
  }
  drawConsequencesSoon(ctx, [runId]);
  await recordControl(ctx, { projectId, action: 'cancel', runId, actor });
}

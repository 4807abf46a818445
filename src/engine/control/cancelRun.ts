import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { drawOutcomesSoon, endRuns } from '../outcomes/index.ts';
import { runExists } from './sql/runExists.ts';

interface Cancellation {
  projectId: string;
  runId: string;
  /** The name of the key that asked. */
  actor: string | undefined;
}

/**
 * Cancels an unfinished run (4.6): its steps in flight and its waits end, and whoever executes it is told. Throws
 * `notFound`, and `conflict` when the run is over.
 */
export async function cancelRun(ctx: EngineContext, { projectId, runId, actor }: Cancellation): Promise<void> {
  if (!isId(runId)) throw notFound('run not found');
  const ends = [{ runId, error: undefined }];
  const rows = await endRuns(
    ctx,
    { status: 'cancelled', ends, projectId, onlyStranded: false },
    'the run was cancelled',
  );
  if (rows.length === 0) {
    const [run] = await runExists(ctx.db, { projectId, runId });
    throw run ? conflict('runTerminal') : notFound('run not found');
  }
  drawOutcomesSoon(ctx, [runId]);
  await recordControl(ctx, { projectId, action: 'cancel', runId, actor });
}

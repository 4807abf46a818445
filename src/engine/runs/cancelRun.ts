import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { announceFinished } from './announceFinished.ts';
import { finishRuns } from './sql/finishRuns.ts';
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
  if (!isId(runId)) throw notFound();
  const rows = await finishRuns(ctx.db, {
    status: 'cancelled',
    ends: [{ runId, error: undefined }],
    projectId,
    onlyStranded: false,
    now: ctx.clock.sql(),
  });
  if (rows.length === 0) {
    const [run] = await runExists(ctx.db, { projectId, runId });
    throw run ? conflict('runTerminal') : notFound();
  }
  announceFinished(ctx, rows, 'the run was cancelled');
  await recordControl(ctx, { projectId, action: 'cancel', runId, actor });
}

import type { EngineContext } from '../context.ts';
import { drawConsequencesSoon } from './drawConsequences.ts';
import { endRuns } from './endRuns.ts';
import { overrunRuns } from './sql/overrunRuns.ts';

const pageSize = 500;

/**
 * Fails runs that exceed their `maxDuration`, in whatever state they are, a page at most. Their
 * children are cancelled with them, and their failure handlers follow. Answers how many failed.
 */
export async function failOverrunRuns(ctx: EngineContext): Promise<number> {
  const overrun = await overrunRuns(ctx.db, { limit: pageSize, now: ctx.clock.sql() });
  if (overrun.length === 0) return 0;
  const ends = overrun.map(({ runId, limitMs }) => ({ runId, error: JSON.stringify(timeoutOf(limitMs)) }));
  const reason = 'the run exceeded its maxDuration';
  const rows = await endRuns(ctx, {
    ...{ status: 'failed', ends, reason },
    ...{ projectId: null, onlyStranded: false, onlyOverrun: true },
  });
  drawConsequencesSoon(
    ctx,
    rows.map((row) => row.runId),
  );
  return rows.length;
}

const timeoutOf = (limitMs: number): { name: string; message: string } => ({
  name: 'RunTimeoutError',
  message: `the run did not end within its maxDuration of ${limitMs} ms`,
});

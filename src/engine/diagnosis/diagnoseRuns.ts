import type { EngineContext } from '../context.ts';
import { suspensionOf } from '../projects/index.ts';
import { isTerminal, type LogFrameRow, type RunRow } from '../runs/index.ts';
import { cancellationOf, cancelledRun } from './cancellation.ts';
import type { AlikeFailures, RunCancellation, RunDiagnosis, RunFailure } from './diagnosis.ts';
import { failureOf } from './failure.ts';
import { nextCalls } from './nextCalls.ts';
import { readWaiting } from './readWaiting.ts';
import { countAlike } from './sql/countAlike.ts';
import { selectCancellations } from './sql/selectCancellations.ts';
import { selectFailures } from './sql/selectFailures.ts';
import { selectLastLogs } from './sql/selectLastLogs.ts';
import { summaryOf } from './summary.ts';
import { verdictOf } from './verdict.ts';

/** Log lines of a failed run, and their bytes. */
const maxLines = 20;
const maxLogBytes = 256 * 1024;

/** Failures that are compared, for all runs of one call together. */
const maxCompared = 2_000;

/**
 * Derives why runs of a project failed, were cancelled or do not move, and what could be done. The
 * number of statements does not depend on the number of runs.
 */
export async function diagnoseRuns(
  ctx: EngineContext,
  { projectId, runs }: { projectId: string; runs: readonly RunRow[] },
): Promise<Map<string, RunDiagnosis>> {
  const open = runs.flatMap((run) => (isTerminal(run.status) ? [] : run.id));
  const [causes, failures, cancellations, snapshot] = await Promise.all([
    open.length === 0 ? undefined : readWaiting(ctx, { projectId, runIds: open }),
    readFailures(ctx, projectId, runs.filter(isFailed)),
    readCancellations(ctx, projectId, runs.filter(isCancelled)),
    ctx.registry.snapshot(projectId),
  ]);
  const isSuspended = suspensionOf(snapshot) !== undefined;
  const now = ctx.clock.now();
  return new Map(
    runs.map((run) => {
      const known = {
        causes: causes?.get(run.id) ?? [],
        failure: failures.get(run.id),
        cancellation: cancellations.get(run.id),
      };
      const verdict = verdictOf(run.status, known.causes, now);
      const summary = summaryOf({ ...known, verdict, isSuspended });
      const next = nextCalls({ ...known, run, isSuspended });
      return [run.id, { status: run.status, verdict, summary, ...known, next }];
    }),
  );
}

const isFailed = ({ status }: RunRow): boolean => status === 'failed';
const isCancelled = ({ status }: RunRow): boolean => status === 'cancelled';

async function readFailures(
  ctx: EngineContext,
  projectId: string,
  runs: readonly RunRow[],
): Promise<Map<string, RunFailure>> {
  if (runs.length === 0) return new Map();
  const runIds = runs.map(({ id }) => id);
  const rows = new Map((await selectFailures(ctx.db, { projectId, runIds })).map((row) => [row.runId, row]));
  const found = runs.flatMap((run) => {
    const row = rows.get(run.id);
    return row ? [{ runId: run.id, failed: failureOf(run, row) }] : [];
  });
  const failures = found.map(({ runId, failed }) => ({ runId, step: failed.step?.name }));
  const limit = Math.max(20, Math.floor(maxCompared / runs.length));
  const [alike, lines] = await Promise.all([
    countAlike(ctx.db, { projectId, failures, limit, now: ctx.clock.sql() }),
    selectLastLogs(ctx.db, { runIds, limit: maxLines, maxBytes: maxLogBytes }),
  ]);
  const counts = new Map(alike.map((row) => [row.runId, row]));
  return new Map(
    found.map(({ runId, failed }) => [
      runId,
      { ...failed, logs: lines.filter((line: LogFrameRow) => line.runId === runId), alike: shown(counts.get(runId)) },
    ]),
  );
}

const shown = (row: Awaited<ReturnType<typeof countAlike>>[number] | undefined): AlikeFailures => ({
  count: row?.count ?? 0,
  isMore: row?.isMore ?? false,
  first: row?.first ?? undefined,
  last: row?.last ?? undefined,
  runIds: row?.runIds ?? [],
});

async function readCancellations(
  ctx: EngineContext,
  projectId: string,
  runs: readonly RunRow[],
): Promise<Map<string, RunCancellation>> {
  if (runs.length === 0) return new Map();
  const rows = await selectCancellations(ctx.db, { projectId, runs: runs.map(cancelledRun) });
  return new Map(rows.map((row) => [row.runId, cancellationOf(row)]));
}

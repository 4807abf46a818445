import { drawConsequencesSoon, endRuns } from '../consequences/index.ts';
import type { EngineContext } from '../context.ts';
import { withoutQuery } from '../net/index.ts';
import { type OverdueRow, overdueStranded } from './sql/overdueStranded.ts';
import { reviveRuns } from './sql/reviveRuns.ts';
import { strandRuns } from './sql/strandRuns.ts';

const pageSize = 1000;

/** The numbers of runs that one call stranded and revived. */
export interface StrandedCounts {
  stranded: number;
  revived: number;
}

/**
 * Requeues stranded runs for which a runner appeared, and strands runs that no runner can execute
 * (4.10 routing). Each call handles a page of both; call again until both are 0.
 */
export async function lookAfterStranded(ctx: EngineContext): Promise<StrandedCounts> {
  const revived = await revive(ctx);
  return { revived, stranded: await strand(ctx) };
}

async function revive(ctx: EngineContext): Promise<number> {
  const { runnerLivenessMs: livenessMs } = ctx.settings;
  const rows = await reviveRuns(ctx.db, { livenessMs, limit: pageSize, now: ctx.clock.sql() });
  ctx.bus.emit('run.moved', { runs: rows });
  if (rows.length > 0) ctx.bus.emit('work.ready', { laneIds: [...new Set(rows.map((row) => row.laneId))] });
  return rows.length;
}

async function strand(ctx: EngineContext): Promise<number> {
  const { runnerLivenessMs: livenessMs, noRunnerWaitMs: waitMs } = ctx.settings;
  const rows = await strandRuns(ctx.db, { livenessMs, waitMs, limit: pageSize, now: ctx.clock.sql() });
  ctx.bus.emit('run.moved', { runs: rows });
  if (rows.length > 0) {
    ctx.bus.emit('work.due', { inMs: Math.max(0, Math.min(...rows.map((row) => row.dueInMs))) });
  }
  return rows.length;
}

/**
 * Fails runs that waited too long for a runner, with an error that names the missing runner. Runs
 * whose runner is back continue instead. Each call handles a page.
 */
export async function failOverdueRuns(ctx: EngineContext): Promise<{ failed: number; revived: number }> {
  const { runnerLivenessMs: livenessMs } = ctx.settings;
  const overdue = await overdueStranded(ctx.db, { livenessMs, limit: pageSize, now: ctx.clock.sql() });
  const revived = overdue.some((row) => row.isServed) ? await revive(ctx) : 0;
  return {
    revived,
    failed: await failUnserved(
      ctx,
      overdue.filter((row) => !row.isServed),
    ),
  };
}

async function failUnserved(ctx: EngineContext, overdue: readonly OverdueRow[]): Promise<number> {
  if (overdue.length === 0) return 0;
  const ends = overdue.map((row) => ({ runId: row.runId, error: JSON.stringify({ message: reasonOf(row) }) }));
  const reason = 'no runner appeared';
  const rows = await endRuns(ctx, { status: 'failed', ends, projectId: null, onlyStranded: true, reason });
  drawConsequencesSoon(
    ctx,
    rows.map((row) => row.runId),
  );
  return rows.length;
}

function reasonOf({ app, workflow, runner }: OverdueRow): string {
  const missing = `no live runner serves workflow ${workflow} of app ${app}`;
  return runner === null ? missing : `${missing}: the run is pinned to runner ${withoutQuery(runner)}`;
}

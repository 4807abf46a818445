import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/statement.ts';
import { announce, type Intake, type IntakeOutcome, ingestWithin } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { ProjectSnapshot } from '../registry/index.ts';
import { buildRuns } from '../runs/buildRun.ts';
import { nextFireOf } from './nextFireOf.ts';
import { type Move, moveSchedules } from './sql/moveSchedules.ts';
import { type DueRow, takeDueSchedules } from './sql/takeDueSchedules.ts';

/*
 * Owns: turning a due instant of a schedule into its run.
 * Does not own: which schedules exist (registration), when to look (the scheduler's loops).
 *
 * 1. The run and the schedule's next time are one commit. Another scheduler passes over a schedule that is locked, and finds
 *    it moved afterwards; a crash before the commit leaves it due.
 * 2. However long nobody looked, a schedule that is due fires once, and then goes on from now: instants in between are
 *    folded into that one fire.
 * 3. An instant of a workflow's schedule never fires twice, also not when a clock goes back or the schedule is registered
 *    anew meanwhile: the run claims a key made of it.
 * 4. What was decided on an old copy of the registry is not written, and its schedule stays due.
 */

/** Parsing schedules and preparing runs takes the processor away from everything else, if only for some milliseconds. */
const pageSize = 100;
/** A schedule that cannot be read is refused, and looked at again after this. */
const unreadablePauseMs = 3_600_000;

export interface FireReport {
  /** Runs that were started. */
  fired: number;
  /** Whether more may be due at once. */
  again: boolean;
}

interface Plan {
  row: DueRow;
  intake: Intake;
  move: Move;
}

/** Fires what is due now, a page at most. */
export async function fireDueSchedules(ctx: EngineContext): Promise<FireReport> {
  const { plans, outcomes } = await ctx.db.transaction((tx) => fireWithin(ctx, tx));
  const having = (kinds: readonly IntakeOutcome['kind'][]): Plan[] =>
    plans.filter((_, position) => kinds.includes(outcomes[position]?.kind ?? 'stale'));
  for (const { row } of having(['stale'])) ctx.registry.invalidate(row.project_id);
  const moved = having(['created', 'deduped']);
  hintNext(ctx, moved);
  const decided = having(['created']);
  const intakes = decided.map((each) => each.intake);
  announce(ctx, intakes);
  for (const plan of decided) record(ctx, plan);
  return {
    fired: intakes.reduce((sum, { runs }) => sum + runs.length, 0),
    again: plans.length === pageSize || moved.length < plans.length,
  };
}

async function fireWithin(
  ctx: EngineContext,
  tx: Queryable,
): Promise<{ plans: Plan[]; outcomes: readonly IntakeOutcome[] }> {
  const rows = await takeDueSchedules(tx, { limit: pageSize, now: ctx.clock.sql() });
  const plans: Plan[] = [];
  for (const row of rows) plans.push(await planFire(ctx, await ctx.registry.snapshot(row.project_id), row));
  if (plans.length === 0) return { plans, outcomes: [] };
  const intakes = plans.map((each) => each.intake);
  const outcomes = await ingestWithin(ctx, tx, intakes);
  const moves = plans.flatMap(({ move }, position) => (outcomes[position]?.kind === 'stale' ? [] : [move]));
  const moved = await moveSchedules(tx, { moves, now: ctx.clock.sql() });
  if (moved.length !== moves.length) throw new Error('a schedule moved although it was locked');
  return { plans, outcomes };
}

/** A workflow that the copy of the registry does not know makes no run: the copy is old, and the write says so. */
async function planFire(ctx: EngineContext, snapshot: ProjectSnapshot, row: DueRow): Promise<Plan> {
  const { id, cron, next_fire_at: dueAt, app, workflow, project_id: projectId } = row;
  const nextFireAt = nextFireOf(ctx, row, row.now);
  const definition = snapshot.workflow(app, workflow);
  const isRefused = snapshot.suspended || nextFireAt === undefined;
  const runs =
    isRefused || !definition
      ? []
      : await buildRuns(ctx, projectId, [definition], {
          triggerKind: 'cron',
          eventName: undefined,
          eventId: undefined,
          session: undefined,
          runner: undefined,
          depth: 0,
          tags: undefined,
          input: RawJson.of({ cron, scheduledAt: dueAt.toISOString() }),
          dedupe: { scope: `cron:${app}/${workflow}`, key: `${cron} at ${dueAt.toISOString()}` },
        });
  const paused = new Date(row.now.getTime() + unreadablePauseMs);
  return {
    row,
    intake: { projectId, registryVersion: snapshot.version, event: undefined, runs },
    move: { id, dueAt, nextFireAt: nextFireAt ?? paused, hasFired: !isRefused },
  };
}

function record(ctx: EngineContext, { row, intake, move }: Plan): void {
  const { project_id: projectId, app, workflow, cron, next_fire_at: scheduledAt } = row;
  const fields = { projectId, app, workflow, cron, scheduledAt, nextFireAt: move.nextFireAt };
  if (!move.hasFired) ctx.log.warn(fields, 'a cron fire was refused');
  else ctx.log.debug({ ...fields, runId: intake.runs[0]?.runId }, 'a cron schedule fired');
}

function hintNext(ctx: EngineContext, plans: readonly Plan[]): void {
  const waits = plans.map(({ row, move }) => move.nextFireAt.getTime() - row.now.getTime());
  if (waits.length > 0) ctx.bus.emit('work.due', { inMs: Math.max(0, Math.min(...waits)) });
}

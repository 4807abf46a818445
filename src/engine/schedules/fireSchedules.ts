import { type Admission, admissionTransaction, admitWithin, StaleIntake } from '../admission/index.ts';
import type { EngineContext } from '../context.ts';
import { nextFire } from '../cron/index.ts';
import type { AdmissionTransaction } from '../flow/index.ts';
import { buildRuns, type Intake } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { LaneMaker, ProjectSnapshot } from '../model/index.ts';
import { suspensionOf } from '../projects/index.ts';
import { processTally } from '../tally/index.ts';
import { type Move, moveSchedules } from './sql/moveSchedules.ts';
import { type DueRow, takeDueSchedules } from './sql/takeDueSchedules.ts';

/*
 * Owns: turning a due instant of a schedule into its run.
 * Does not own: which schedules exist (registration), or when to fire (the scheduler).
 *
 * Invariants:
 * F1. The commit that creates the run moves the schedule. Other schedulers skip a locked schedule,
 *     and later find it moved. After a crash before the commit, the schedule is still due.
 * F2. A due schedule fires once, however long no scheduler ran. The schedule then
 *     continues from now, so missed instants share that one fire.
 * F3. An instant of a workflow's schedule never fires twice, even if the clock is set back or the
 *     schedule is registered again. An instant that has its run is skipped.
 * F4. A decision that used an old copy of the registry is not written. The schedule stays due.
 * F5. A transaction that holds schedules needs no second connection. All connections may be in use
 *     by transactions that wait for these schedules.
 * F6. A schedule of a retired workflow passes over its instants, and starts no run.
 */

/**
 * Parsing schedules and preparing runs blocks the process for some milliseconds, so pages are
 * small.
 */
const pageSize = 100;
/** The delay before an unreadable schedule is retried. */
const unreadablePauseMs = 3_600_000;

export interface FireReport {
  /** The number of started runs. */
  fired: number;
  /** Whether more schedules may be due now. */
  again: boolean;
}

interface Planning {
  log: EngineContext['log'];
  lanes: LaneMaker;
}

interface Plan {
  row: DueRow;
  intake: Intake;
  move: Move;
}

/** Fires due schedules, at most one page. */
export async function fireDueSchedules(ctx: EngineContext): Promise<FireReport> {
  try {
    return await ctx.db.transaction((tx) => fireWithin(admissionTransaction(ctx, tx)));
  } catch (error) {
    if (!(error instanceof StaleIntake)) throw error;
    // F4
    for (const projectId of error.projectIds) ctx.registry.invalidate(projectId);
    return { fired: 0, again: true };
  }
}

async function fireWithin(admission: AdmissionTransaction): Promise<FireReport> {
  const { ctx, tx } = admission;
  const rows = await takeDueSchedules(tx, { limit: pageSize, now: ctx.clock.sql() });
  const plans: Plan[] = [];
  // F5: lanes and snapshots are read in this transaction.
  const planning: Planning = { log: ctx.log, lanes: ctx.lanes.within(tx) };
  for (const row of rows)
    plans.push(await planFire(planning, await ctx.registry.snapshotWithin(tx, row.projectId), row));
  if (plans.length === 0) return { fired: 0, again: false };
  const admissions = await admitWithin(
    admission,
    plans.map((each) => each.intake),
  );
  const moves = plans.map((each) => each.move);
  // F1
  const moved = await moveSchedules(tx, { moves, now: ctx.clock.sql() });
  if (moved.length !== moves.length) throw new Error('a schedule moved although it was locked');
  tx.afterCommit(() => announceFires(ctx, plans, admissions));
  return {
    fired: admissions.reduce((sum, each) => sum + (each.kind === 'created' ? each.intake.runs.length : 0), 0),
    again: plans.length === pageSize || plans.some(({ row }) => row.hasFired),
  };
}

function announceFires(ctx: EngineContext, plans: readonly Plan[], admissions: readonly Admission[]): void {
  plans.forEach((plan, position) => {
    const { now, nextFireAt } = plan.row;
    processTally(ctx).timerLateness.observe((now.getTime() - nextFireAt.getTime()) / 1000);
    record(ctx, plan, admissions[position]);
  });
  const waits = plans.map(({ row, move }) => move.nextFireAt.getTime() - row.now.getTime());
  ctx.bus.emit('work.due', { inMs: Math.max(0, Math.min(...waits)) });
}

/**
 * If the snapshot lacks the workflow, the intake has no run. The write then finds that the snapshot
 * is outdated (F4).
 */
async function planFire(planning: Planning, snapshot: ProjectSnapshot, row: DueRow): Promise<Plan> {
  const move = moveOf(planning, snapshot, row);
  const definition = snapshot.workflow(row.app, row.workflow);
  const runs =
    move.outcome !== 'fired' || !definition
      ? []
      : await buildRuns(planning, row.projectId, [definition], {
          origin: 'start',
          triggerKind: 'cron',
          eventName: undefined,
          eventId: undefined,
          session: undefined,
          runner: undefined,
          depth: 0,
          tags: undefined,
          input: RawJson.of({ cron: row.cron, scheduledAt: row.nextFireAt.toISOString() }),
        });
  return {
    row,
    intake: { projectId: row.projectId, registryVersion: snapshot.version, event: undefined, runs },
    move,
  };
}

/** F2, F3: after an instant that has fired, the next one follows that instant, not the present. */
function moveOf(planning: Planning, snapshot: ProjectSnapshot, row: DueRow): Move {
  const { id, nextFireAt: dueAt, now } = row;
  const isAsleep = snapshot.workflow(row.app, row.workflow)?.isRetired === true;
  const nextFireAt = nextFireOf(planning, row, row.hasFired ? dueAt : now);
  if (nextFireAt === undefined) {
    return { id, dueAt, nextFireAt: new Date(now.getTime() + unreadablePauseMs), outcome: 'refused' };
  }
  if (row.hasFired || isAsleep) return { id, dueAt, nextFireAt, outcome: 'passed' };
  return { id, dueAt, nextFireAt, outcome: suspensionOf(snapshot) ? 'refused' : 'fired' };
}

function record(ctx: EngineContext, { row, move }: Plan, admission: Admission | undefined): void {
  const { projectId, app, workflow, cron, nextFireAt: scheduledAt } = row;
  const fields = { projectId, app, workflow, cron, scheduledAt, nextFireAt: move.nextFireAt };
  if (move.outcome === 'refused') ctx.log.warn(fields, 'cron fire refused');
  if (move.outcome !== 'fired' || admission?.kind !== 'created') return;
  const withheld = admission.withheld[0]?.reason;
  if (withheld !== undefined) ctx.log.info({ ...fields, withheld }, 'cron fire withheld by flow control');
  else ctx.log.debug({ ...fields, runId: admission.intake.runs[0]?.runId }, 'cron schedule fired');
}

/**
 * The next instant after a time. Undefined if the schedule cannot be read, for example because this
 * machine does not know its time zone.
 */
export function nextFireOf(
  { log }: Pick<EngineContext, 'log'>,
  { id, cron }: { id: string; cron: string },
  after: Date,
): Date | undefined {
  try {
    return nextFire(cron, after);
  } catch (error) {
    log.error({ error, schedule: id, cron }, 'cron schedule unreadable');
    return undefined;
  }
}

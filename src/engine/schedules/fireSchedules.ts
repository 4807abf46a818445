import { type Admission, admissionTransaction, admitWithin, StaleIntake } from '../admission/index.ts';
import type { EngineContext } from '../context.ts';
import { nextFire } from '../cron/index.ts';
import type { AdmissionTransaction } from '../flow/index.ts';
import { buildRuns, type Intake } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { LaneMaker, ProjectSnapshot } from '../model/index.ts';
import { type Move, moveSchedules } from './sql/moveSchedules.ts';
import { type DueRow, takeDueSchedules } from './sql/takeDueSchedules.ts';

/*
 * Owns: turning a due instant of a schedule into its run.
 * Does not own: which schedules exist (registration), when to look (the scheduler's loops).
 *
 * 1. The run and the schedule's next time are one commit. Another scheduler passes over a schedule
 *    that is locked, and finds it moved afterwards; a crash before the commit leaves it due.
 * 2. However long nobody looked, a schedule that is due fires once, and then goes on from now:
 *    instants in between are folded into that one fire.
 * 3. An instant of a workflow's schedule never fires twice, also not when a clock goes back or the
 *    schedule is registered anew meanwhile: one that has its run is passed over.
 * 4. What was decided on an old copy of the registry is not written, and its schedule stays due.
 * 5. Who holds schedules waits for no other connection: all may be with those who wait for these
 *    schedules.
 */

/**
 * Parsing schedules and preparing runs takes the processor away from everything else, if only for
 * some milliseconds.
 */
const pageSize = 100;
/** A schedule that cannot be read is refused, and looked at again after this. */
const unreadablePauseMs = 3_600_000;

export interface FireReport {
  /** Runs that were started. */
  fired: number;
  /** Whether more may be due at once. */
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

/** Fires what is due now, a page at most. */
export async function fireDueSchedules(ctx: EngineContext): Promise<FireReport> {
  try {
    return await ctx.db.transaction((tx) => fireWithin(admissionTransaction(ctx, tx)));
  } catch (error) {
    if (!(error instanceof StaleIntake)) throw error;
    for (const projectId of error.projectIds) ctx.registry.invalidate(projectId);
    return { fired: 0, again: true };
  }
}

async function fireWithin(admission: AdmissionTransaction): Promise<FireReport> {
  const { ctx, tx } = admission;
  const rows = await takeDueSchedules(tx, { limit: pageSize, now: ctx.clock.sql() });
  const plans: Plan[] = [];
  const planning: Planning = { log: ctx.log, lanes: ctx.lanes.within(tx) };
  for (const row of rows)
    plans.push(await planFire(planning, await ctx.registry.snapshotWithin(tx, row.projectId), row));
  if (plans.length === 0) return { fired: 0, again: false };
  const admissions = await admitWithin(
    admission,
    plans.map((each) => each.intake),
  );
  const moves = plans.map((each) => each.move);
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
    record(ctx, plan, admissions[position]);
  });
  const waits = plans.map(({ row, move }) => move.nextFireAt.getTime() - row.now.getTime());
  ctx.bus.emit('work.due', { inMs: Math.max(0, Math.min(...waits)) });
}

/**
 * A workflow that the copy of the registry does not know makes no run: the copy is old, and the
 * write says so.
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

/** An instant that has fired before stands for itself only: those after it are still to come. */
function moveOf(planning: Planning, snapshot: ProjectSnapshot, row: DueRow): Move {
  const { id, nextFireAt: dueAt, now } = row;
  const nextFireAt = nextFireOf(planning, row, row.hasFired ? dueAt : now);
  if (nextFireAt === undefined) {
    return { id, dueAt, nextFireAt: new Date(now.getTime() + unreadablePauseMs), outcome: 'refused' };
  }
  if (row.hasFired) return { id, dueAt, nextFireAt, outcome: 'passed' };
  return { id, dueAt, nextFireAt, outcome: snapshot.suspended ? 'refused' : 'fired' };
}

function record(ctx: EngineContext, { row, move }: Plan, admission: Admission | undefined): void {
  const { projectId, app, workflow, cron, nextFireAt: scheduledAt } = row;
  const fields = { projectId, app, workflow, cron, scheduledAt, nextFireAt: move.nextFireAt };
  if (move.outcome === 'refused') ctx.log.warn(fields, 'a cron fire was refused');
  if (move.outcome !== 'fired' || admission?.kind !== 'created') return;
  const withheld = admission.withheld[0]?.reason;
  if (withheld !== undefined) ctx.log.info({ ...fields, withheld }, 'a cron fire was withheld by flow control');
  else ctx.log.debug({ ...fields, runId: admission.intake.runs[0]?.runId }, 'a cron schedule fired');
}

/**
 * Undefined when the schedule cannot be read, for example because this machine does not know its
 * time zone.
 */
export function nextFireOf(
  { log }: Pick<EngineContext, 'log'>,
  { id, cron }: { id: string; cron: string },
  after: Date,
): Date | undefined {
  try {
    return nextFire(cron, after);
  } catch (error) {
    log.error({ error, schedule: id, cron }, 'a cron schedule cannot be read');
    return undefined;
  }
}

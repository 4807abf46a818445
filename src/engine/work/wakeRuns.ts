import type { EngineContext } from '../context.ts';
import { processTally } from '../tally/index.ts';
import { expectDueRuns, leaseDueRuns } from './leaseDueRuns.ts';
import { nextDue } from './sql/nextDue.ts';
import { wakeDue } from './sql/wakeDue.ts';
import type { WokenRow } from './sql/wakingSql.ts';
import { upcomingWakes } from './upcomingWakes.ts';

const pageSize = 500;

/** What is left after due runs were woken. */
export interface Woken {
  woken: number;
  /** Whether more runs may be due. */
  full: boolean;
  /**
   * In how many ms the next run is due, or is to be leased; undefined if none waits for a time.
   * Negative: somebody has locked it, or it is stranded.
   */
  nextInMs: number | undefined;
  /** Whether a run stays parked, and becomes due at a time that `nextInMs` does not know. */
  isPutOff: boolean;
}

/**
 * Wakes due runs, a page at most. Those that have a free runner here are leased by the same commit.
 */
export async function wakeDueRuns(ctx: EngineContext): Promise<Woken> {
  const woken = await wake(ctx);
  if (woken.nextInMs === undefined || woken.nextInMs <= 0) return woken;
  const takenInMs = upcomingWakes(ctx).takenInMs(woken.nextInMs);
  return takenInMs <= 0 ? { ...woken, full: true } : { ...woken, nextInMs: takenInMs };
}

async function wake(ctx: EngineContext): Promise<Woken> {
  const expected = expectDueRuns(ctx);
  if (expected.length === 0) return wakeOthers(ctx);
  const { leased, nextInMs } = await leaseDueRuns(ctx, expected);
  observe(
    ctx,
    leased.map(({ leasedAtMs, dueAtMs }) => ({ lateMs: leasedAtMs - dueAtMs })),
  );
  const woken = leased.length;
  if (nextInMs === undefined || nextInMs > 0) return { woken, full: false, nextInMs, isPutOff: false };
  // Each turn may have runs to lease. So the others do not wait for a turn without.
  const others = await wakeOthers(ctx);
  return { ...others, woken: woken + others.woken };
}

async function wakeOthers(ctx: EngineContext): Promise<Woken> {
  const answer = await wakeDue(ctx.db, { limit: pageSize, now: ctx.clock.sql() });
  const rows = answer.filter(isWoken);
  observe(ctx, rows);
  ctx.bus.emit('run.moved', { runs: rows, goesOn: true });
  if (rows.length > 0) ctx.bus.emit('work.ready', { laneIds: [...new Set(rows.map((row) => row.laneId))] });
  const { nextInMs, isPutOff = false } = answer[0] ?? {};
  return { woken: rows.length, full: rows.length === pageSize, nextInMs: nextInMs ?? undefined, isPutOff };
}

function observe(ctx: EngineContext, woken: readonly { lateMs: number }[]): void {
  for (const { lateMs } of woken) processTally(ctx).timerLateness.observe(Math.max(0, lateMs) / 1000);
}

const isWoken = <Row extends { [Column in keyof WokenRow]: unknown }>(row: Row): row is Row & WokenRow =>
  row.runId !== null;

export interface NextDue {
  /** In how many ms the next run wakes or times out; undefined if none waits for a time. */
  workInMs: number | undefined;
  /** In how many ms the next cron schedule fires; undefined when there is none. */
  fireInMs: number | undefined;
  /** In how many ms an approval's deadline passes; undefined when none has one. */
  approvalInMs: number | undefined;
  /**
   * In how many ms a buffer of `debounce` or `batch` is to be flushed; undefined when nothing is
   * buffered.
   */
  flushInMs: number | undefined;
  /** In how many ms a run exceeds its `maxDuration`; undefined when none has one. */
  endInMs: number | undefined;
  /** In how many ms a start that has not begun exceeds its `ttl`; undefined when none has one. */
  expireInMs: number | undefined;
  /** In how many ms the deadline of a waiting model call passes; undefined when there is none. */
  callInMs: number | undefined;
  /** Whether a run waits for a slot, or for its project's ceiling. */
  hasGated: boolean;
  /** Whether an event, a wait that looks back, or an ended run may have unfinished work. */
  hasLeftovers: boolean;
  /** Whether webhook deliveries are due, or under way. */
  hasDeliveries: boolean;
  /** Whether model calls are due, or under way. */
  hasCalls: boolean;
  /** Whether a process that calls models has been silent for long. */
  hasSilent: boolean;
}

/** The times until the next duties. Overdue ones are negative. */
export async function nextDueInMs(ctx: EngineContext): Promise<NextDue> {
  const [row] = await nextDue(ctx.db, { now: ctx.clock.sql() });
  return {
    workInMs: row?.workInMs ?? undefined,
    fireInMs: row?.fireInMs ?? undefined,
    approvalInMs: row?.approvalInMs ?? undefined,
    flushInMs: row?.flushInMs ?? undefined,
    endInMs: row?.endInMs ?? undefined,
    expireInMs: row?.expireInMs ?? undefined,
    callInMs: row?.callInMs ?? undefined,
    hasGated: row?.hasGated ?? false,
    hasLeftovers: row?.hasLeftovers ?? false,
    hasDeliveries: row?.hasDeliveries ?? false,
    hasCalls: row?.hasCalls ?? false,
    hasSilent: row?.hasSilent ?? false,
  };
}

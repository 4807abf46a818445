import type { EngineContext } from '../context.ts';
import { nextDue } from './sql/nextDue.ts';
import { wakeDue } from './sql/wakeDue.ts';

const pageSize = 500;

/** Wakes due runs, a page at most; answers how many. Call again while a page is full. */
export async function wakeDueRuns(ctx: EngineContext): Promise<{ woken: number; full: boolean }> {
  const rows = await wakeDue(ctx.db, { limit: pageSize, now: ctx.clock.sql() });
  ctx.bus.emit('run.moved', { runs: rows });
  if (rows.length > 0) ctx.bus.emit('work.ready', { laneIds: [...new Set(rows.map((row) => row.laneId))] });
  return { woken: rows.length, full: rows.length === pageSize };
}

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

import type { EngineContext } from '../context.ts';
import { isTransient } from '../db/index.ts';
import type { AdmissionTransaction } from '../flow/index.ts';
import { admissionTransaction } from './admitTogether.ts';
import { type Admission, StaleIntake, startWithin } from './admitWithin.ts';
import { type FlushPlan, planFlush } from './flushPlan.ts';
import { moveBuffersBack } from './sql/moveBuffersBack.ts';
import { postponeBuffers } from './sql/postponeBuffers.ts';
import { type BufferedItem, readBufferItems } from './sql/readBufferItems.ts';
import { removeFlushed } from './sql/removeFlushed.ts';
import { type BufferPolicy, type DueBuffer, takeDueBuffers } from './sql/takeDueBuffers.ts';
import { type FlushedEvent, tellEvents } from './sql/tellEvents.ts';
import { inWaves } from './waves.ts';

/*
 * Owns: the flush of due buffers of `debounce` and `batch`.
 * Does not own: filling buffers (gates), the times of flushes (the scheduler's loops).
 *
 * 1. One commit creates a run and removes its buffered starts: a crash before it leaves the buffer
 *    due.
 * 2. A start continues after its stage: from `debounce` into a batch, if the workflow has one, else
 *    to its start.
 * 3. What was accepted is not lost: while the project is suspended, or a `singleton`
 *    with `skip` has a holder, the buffer stays, and is tried again.
 * 4. A buffer that cannot be flushed delays no other.
 * 5. The records of the events that a run is made of name it, from the same commit on.
 * 6. A decision on an old copy of the registry is not written, and its buffer stays due.
 * 7. A transaction that holds buffers waits for no other connection: all connections may be taken
 *    by transactions that wait for these buffers.
 */

/** Buffers, events and bytes that one transaction flushes, at most; one buffer in any case. */
const page = { buffers: 200, items: 5_000, bytes: 4 * 1024 * 1024 };

const heldPauseMs = 1_000;
const refusedPauseMs = 30_000;
const failedPauseMs = 60_000;

interface FlushReport {
  /** Runs that were started, or put into a batch. */
  flushed: number;
  /** Whether more may be due at once. */
  again: boolean;
}

/** Flushes the due buffers, at most a page of each policy. */
export async function flushDueBuffers(ctx: EngineContext): Promise<FlushReport> {
  const debounced = await flushPage(ctx, 'debounce', page.buffers);
  const batched = await flushPage(ctx, 'batch', page.buffers);
  return { flushed: debounced.flushed + batched.flushed, again: debounced.again || batched.again };
}

async function flushPage(ctx: EngineContext, policy: BufferPolicy, limit: number): Promise<FlushReport> {
  let taken: DueBuffer[] = [];
  try {
    return await ctx.db.transaction((tx) => {
      taken = [];
      return flushWithin(admissionTransaction(ctx, tx), { policy, limit, taken });
    });
  } catch (error) {
    if (error instanceof StaleIntake) for (const projectId of error.projectIds) ctx.registry.invalidate(projectId);
    else if (isTransient(error) || taken.length === 0) throw error;
    else await flushOneByOne(ctx, { policy, taken, error });
    return { flushed: 0, again: true };
  }
}

/**
 * A buffer that cannot be flushed must not delay the others: it is postponed, and logged as an
 * error.
 */
async function flushOneByOne(
  ctx: EngineContext,
  { policy, taken, error }: { policy: BufferPolicy; taken: readonly DueBuffer[]; error: unknown },
): Promise<void> {
  const [first, ...others] = taken;
  if (first && others.length === 0) {
    const { id, projectId, app, workflow } = first;
    ctx.log.error({ error, projectId, app, workflow, bufferId: id }, 'a buffer could not be flushed');
    await postponeBuffers(ctx.db, { postponed: [{ id, pauseMs: failedPauseMs }], now: ctx.clock.sql() });
  } else {
    for (const _ of taken) await flushPage(ctx, policy, 1);
  }
}

interface Page {
  policy: BufferPolicy;
  limit: number;
  /** Receives the locked buffers, for the case that the transaction fails. */
  taken: DueBuffer[];
}

async function flushWithin(admission: AdmissionTransaction, { policy, limit, taken }: Page): Promise<FlushReport> {
  const due = await takeDueBuffers(admission.tx, { policy, limit, now: admission.ctx.clock.sql() });
  taken.push(...fitting(due));
  if (taken.length === 0) return { flushed: 0, again: false };
  const plans = firstWave(await planAll(admission, policy, taken));
  const intakes = plans.map((each) => each.intake);
  const admissions = await startWithin(admission, intakes);
  const flushed = await settle(admission, plans, admissions);
  const isAll = plans.length === due.length && due.length < limit;
  return { flushed, again: !isAll || plans.some((plan) => plan.flushed.itemsLeft > 0) };
}

/**
 * Starts that compete for one singleton go one after the other, so that each transaction takes its
 * locks in one order.
 */
function firstWave(plans: readonly FlushPlan[]): FlushPlan[] {
  const [first = []] = inWaves(plans.map((each) => each.intake));
  return first.flatMap((position) => plans[position] ?? []);
}

/** As many buffers as fit one transaction, the first in any case. */
function fitting(due: readonly DueBuffer[]): DueBuffer[] {
  let [items, bytes] = [0, 0];
  return due.filter((buffer, position) => {
    items += buffer.items;
    bytes += buffer.bytes;
    return position === 0 || (items <= page.items && bytes <= page.bytes);
  });
}

async function planAll(
  { ctx, tx }: AdmissionTransaction,
  policy: BufferPolicy,
  buffers: readonly DueBuffer[],
): Promise<FlushPlan[]> {
  const itemsOf = new Map<string, BufferedItem[]>(buffers.map(({ id }) => [id, []]));
  for (const item of await readBufferItems(tx, { bufferIds: [...itemsOf.keys()] })) {
    itemsOf.get(item.bufferId)?.push(item);
  }
  const plans: FlushPlan[] = [];
  const lanes = ctx.lanes.within(tx);
  for (const buffer of buffers) {
    const snapshot = await ctx.registry.snapshotWithin(tx, buffer.projectId);
    plans.push(await planFlush({ lanes }, snapshot, { policy, buffer, items: itemsOf.get(buffer.id) ?? [] }));
  }
  return plans;
}

/** Removes starts that became a run or part of a batch; postpones the others. */
async function settle(
  { ctx, tx }: AdmissionTransaction,
  plans: readonly FlushPlan[],
  admissions: readonly Admission[],
): Promise<number> {
  const postponed = plans.flatMap((plan, position) => {
    const pauseMs = pauseOf(plan, admissions[position]);
    return pauseMs === undefined ? [] : [{ id: plan.buffer.id, pauseMs }];
  });
  const staying = new Set(postponed.map(({ id }) => id));
  const flushed = plans.flatMap((plan) => (staying.has(plan.buffer.id) ? [] : [plan.flushed]));
  if (flushed.length > 0) await removeFlushed(tx, { flushed });
  const events = plans.flatMap((plan, position) => eventsOf(plan, admissions[position]));
  if (events.length > 0) await tellEvents(tx, { flushed: events });
  if (postponed.length > 0) {
    await postponeBuffers(tx, { postponed, now: ctx.clock.sql() });
    const inMs = Math.min(...postponed.map((each) => each.pauseMs));
    tx.afterCommit(() => ctx.bus.emit('work.due', { inMs }));
  }
  return flushed.length;
}

/**
 * The events from which a run was created now. A start that went from one buffer into the next has
 * no run yet.
 */
function eventsOf({ eventIds }: FlushPlan, admission: Admission | undefined): FlushedEvent[] {
  const [run] = admission?.kind === 'created' ? admission.intake.runs : [];
  if (!run) return [];
  const { app, workflow, runId } = run;
  return eventIds.map((eventId) => ({ eventId, app, workflow, runId }));
}

/** How long a buffer has to stay, in ms; undefined when it has been flushed. */
function pauseOf({ isRefused }: FlushPlan, admission: Admission | undefined): number | undefined {
  if (isRefused) return refusedPauseMs;
  if (admission?.kind !== 'created') throw new Error('a buffered start was left unanswered');
  const reason = admission.withheld[0]?.reason;
  if (reason === undefined || reason === 'batched') return undefined;
  return heldPauseMs;
}

const pageSize = 500;
/** Clocks are often set back by seconds; a wait of that length does no harm. */
const toleranceMs = 60_000;

/**
 * Moves buffers back that were filled while the clock ran ahead: starts that were gathered a day
 * early would wait for that day. Answers how many it moved.
 */
export async function reanchorBuffers(ctx: EngineContext): Promise<number> {
  const moved = await moveBuffersBack(ctx.db, { limit: pageSize, toleranceMs, now: ctx.clock.sql() });
  if (moved.length === 0) return 0;
  ctx.log.warn({ buffers: moved.length }, 'the clock was set back: what is buffered follows it');
  ctx.bus.emit('work.due', { inMs: 0 });
  return moved.length;
}

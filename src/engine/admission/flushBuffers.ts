import type { EngineContext } from '../context.ts';
import { isTransient } from '../db/index.ts';
import type { AdmissionTransaction } from '../flow/index.ts';
import { admissionTransaction } from './admitTogether.ts';
import { type Admission, StaleIntake, startWithin } from './admitWithin.ts';
import { type FlushPlan, planFlush } from './flushPlan.ts';
import { moveBuffersBack } from './sql/moveBuffersBack.ts';
import { postponeBuffers } from './sql/postponeBuffers.ts';
import { type BufferedItem, readBufferItems } from './sql/readBufferItems.ts';
import { type FlushedEvent, recordFlushed } from './sql/recordFlushed.ts';
import { removeFlushed } from './sql/removeFlushed.ts';
import { type BufferPolicy, type DueBuffer, takeDueBuffers } from './sql/takeDueBuffers.ts';
import { inWaves } from './waves.ts';

/*
 * Owns: the flush of due buffers of `debounce` and `batch`.
 * Does not own: filling buffers (the gates), or when to flush (the scheduler).
 *
 * Invariants:
 * B1. The commit that creates the run removes its buffered starts. After a crash before the commit,
 *     the buffer is still due.
 * B2. A start continues after its stage: from `debounce` into the workflow's batch, if any, else to
 *     its run.
 * B3. An accepted start is never lost. While the project is suspended, or a `skip` singleton has a
 *     holder, the buffer stays and is retried.
 * B4. A buffer that cannot be flushed does not delay the others.
 * B5. The same commit adds the run to the records of its events.
 * B6. A decision that used an old copy of the registry is not written. The buffer stays due.
 * B7. A transaction that holds buffers needs no second connection. All connections may be in use by
 *     transactions that wait for these buffers.
 */

/**
 * The limits of one transaction: buffers, events and bytes. A transaction always flushes at least
 * one buffer.
 */
const page = { buffers: 200, items: 5_000, bytes: 4 * 1024 * 1024 };

const heldPauseMs = 1_000;
const refusedPauseMs = 30_000;
const failedPauseMs = 60_000;

interface FlushReport {
  /** Buffers whose starts became a run or part of a batch. */
  flushed: number;
  /** Whether more buffers may be due now. */
  again: boolean;
}

/** Flushes due buffers, at most one page per policy. Of one project, if that is given. */
export async function flushDueBuffers(ctx: EngineContext, projectId: string | null = null): Promise<FlushReport> {
  const debounced = await flushPage(ctx, { policy: 'debounce', limit: page.buffers, projectId });
  const batched = await flushPage(ctx, { policy: 'batch', limit: page.buffers, projectId });
  return { flushed: debounced.flushed + batched.flushed, again: debounced.again || batched.again };
}

async function flushPage(ctx: EngineContext, wanted: Omit<Page, 'taken'>): Promise<FlushReport> {
  let taken: DueBuffer[] = [];
  try {
    return await ctx.db.transaction((tx) => {
      taken = [];
      return flushWithin(admissionTransaction(ctx, tx), { ...wanted, taken });
    });
  } catch (error) {
    // B6
    if (error instanceof StaleIntake) for (const projectId of error.projectIds) ctx.registry.invalidate(projectId);
    else if (isTransient(error) || taken.length === 0) throw error;
    else await flushOneByOne(ctx, { ...wanted, taken, error });
    return { flushed: 0, again: true };
  }
}

/** B4: retries the buffers one by one, postpones the one that fails, and logs it as an error. */
async function flushOneByOne(
  ctx: EngineContext,
  { policy, projectId, taken, error }: Omit<Page, 'limit'> & { error: unknown },
): Promise<void> {
  const [first, ...others] = taken;
  if (first && others.length === 0) {
    const { id, app, workflow } = first;
    ctx.log.error(
      { error, projectId: first.projectId, app, workflow, bufferId: id },
      'buffer flush failed: postponing it',
    );
    await postponeBuffers(ctx.db, { postponed: [{ id, pauseMs: failedPauseMs }], now: ctx.clock.sql() });
  } else {
    for (const _ of taken) await flushPage(ctx, { policy, limit: 1, projectId });
  }
}

interface Page {
  policy: BufferPolicy;
  limit: number;
  projectId: string | null;
  /** Receives the locked buffers, for the case that the transaction fails. */
  taken: DueBuffer[];
}

async function flushWithin(
  admission: AdmissionTransaction,
  { policy, limit, projectId, taken }: Page,
): Promise<FlushReport> {
  const due = await takeDueBuffers(admission.tx, { policy, limit, projectId, now: admission.ctx.clock.sql() });
  taken.push(...fitting(due));
  if (taken.length === 0) return { flushed: 0, again: false };
  const plans = firstWave(await planAll(admission, policy, taken));
  // B2
  const intakes = plans.map((each) => each.intake);
  const admissions = await startWithin(admission, intakes);
  const flushed = await settle(admission, plans, admissions);
  const isAll = plans.length === due.length && due.length < limit;
  return { flushed, again: !isAll || plans.some((plan) => plan.flushed.itemsLeft > 0) };
}

/**
 * The buffers whose starts do not compete for a singleton. The others follow in later transactions,
 * so that each transaction takes its locks in one order.
 */
function firstWave(plans: readonly FlushPlan[]): FlushPlan[] {
  const [first = []] = inWaves(plans.map((each) => each.intake));
  return first.flatMap((position) => plans[position] ?? []);
}

/** As many buffers as one transaction may flush, at least the first. */
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
  // B7: lanes and snapshots are read in this transaction.
  for (const buffer of buffers) {
    const snapshot = await ctx.registry.snapshotWithin(tx, buffer.projectId);
    plans.push(await planFlush({ lanes }, snapshot, { policy, buffer, items: itemsOf.get(buffer.id) ?? [] }));
  }
  return plans;
}

/** B1, B3: removes starts that became a run or part of a batch, and postpones the others. */
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
  // B5
  if (events.length > 0) await recordFlushed(tx, { flushed: events });
  if (postponed.length > 0) {
    await postponeBuffers(tx, { postponed, now: ctx.clock.sql() });
    const inMs = Math.min(...postponed.map((each) => each.pauseMs));
    tx.afterCommit(() => ctx.bus.emit('work.due', { inMs }));
  }
  return flushed.length;
}

/** The events whose run was created now. A start that moved into a batch has no run yet. */
function eventsOf({ eventIds }: FlushPlan, admission: Admission | undefined): FlushedEvent[] {
  const [run] = admission?.kind === 'created' ? admission.intake.runs : [];
  if (!run) return [];
  const { app, workflow, runId } = run;
  return eventIds.map((eventId) => ({ eventId, app, workflow, runId }));
}

/** The delay in ms before the next try; undefined if the buffer was flushed. */
function pauseOf({ isRefused }: FlushPlan, admission: Admission | undefined): number | undefined {
  if (isRefused) return refusedPauseMs;
  if (admission?.kind !== 'created') throw new Error('a buffered start has no outcome');
  const reason = admission.withheld[0]?.reason;
  if (reason === undefined || reason === 'batched') return undefined;
  return heldPauseMs;
}

const pageSize = 500;
/** Clocks are often set back by seconds. Waiting that much longer does no harm. */
const toleranceMs = 60_000;

/**
 * Corrects buffers that were filled while the clock ran ahead. Without this, starts from a day
 * ahead would wait for that day. Returns the number of changed buffers.
 */
export async function reanchorBuffers(ctx: EngineContext): Promise<number> {
  const moved = await moveBuffersBack(ctx.db, { limit: pageSize, toleranceMs, now: ctx.clock.sql() });
  if (moved.length === 0) return 0;
  ctx.log.warn({ buffers: moved.length }, 'clock set back: buffers moved');
  ctx.bus.emit('work.due', { inMs: 0 });
  return moved.length;
}

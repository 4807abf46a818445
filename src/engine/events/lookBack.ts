import { EventGuards, type StoredGuard } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { retryTransient, type Transaction } from '../db/index.ts';
import type { Steps } from '../slices.ts';
import { endWaits } from './endWaits.ts';
import { logWaitFaults, type WaitFault } from './guardFaults.ts';
import { asGuardEvent, type HeardEvent, memoOf } from './heardEvent.ts';
import { turnsFor } from './lookTurns.ts';
import { countHeard } from './sql/countHeard.ts';
import { listSince, selectHeard } from './sql/listSince.ts';
import { endLogSearch, type LookingWait, listLooking, lookingWaits } from './sql/lookingWaits.ts';
import { guardOf } from './waitGuards.ts';

/*
 * Owns: the search of the event log for waits that look back (`since`).
 * Does not own: the look-up of waits by an event (`wakeWaiters`).
 *
 * Invariants:
 * L1. The log is searched before the commit that would begin the wait. An event that is found ends
 *     the wait in that commit.
 * L2. The log is searched again after that commit, for events that were committed in between. The
 *     mark `looks_back` is written with the wait, so another process can finish the search.
 * L3. An event that is committed after the wait finds the wait by itself. So each event is seen by
 *     a search, by its own look-up, or by both. `run_step.status` decides which one ends the wait.
 * L4. While a wait is marked, an event that finds it searches the log first. So a later event does
 *     not displace an earlier one.
 */

/** The last events of a name that a search examines. */
const window = 1_000;
const pageSize = 100;
const maxPageBytes = 1024 * 1024;

/** An event of the log that ends a wait at its beginning. */
export interface EarlierEvent {
  eventId: string;
  /** JSON text of the memo. */
  memo: string;
}

/** L1. Throws `busy` if the searches of the project are too many. */
export async function findEarlier(ctx: EngineContext, wait: LookingWait): Promise<EarlierEvent | undefined> {
  const event = await turnsFor(ctx, wait.projectId).take('', () => firstSince(ctx, wait));
  return event && { eventId: event.eventId, memo: memoOf(event) };
}

/**
 * Counts a run for the earlier events that ended its waits, in the transaction that records them.
 */
export async function countEarlier(tx: Transaction, runId: string, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length > 0) await countHeard(tx, { runId, eventIds });
}

/** L2, in the background. `recoverLooks` repeats a search that fails. */
export function lookBackSoon(ctx: EngineContext, { projectId, runId }: { projectId: string; runId: string }): void {
  retryTransient(() => takeLook(ctx, projectId, [runId])).catch((error: unknown) => {
    ctx.log.warn({ error, runId }, 'searching the events for a wait failed: retrying later');
  });
}

const takeLook = (ctx: EngineContext, projectId: string, runIds: readonly string[]): Promise<void> =>
  turnsFor(ctx, projectId).take('', () => lookBack(ctx, runIds));

/** Searches the log for all marked waits of some runs. Idempotent. The caller holds a turn. */
export async function lookBack(ctx: EngineContext, runIds: readonly string[]): Promise<void> {
  for (const wait of await lookingWaits(ctx.db, { runIds })) {
    const event = await firstSince(ctx, wait);
    if (event) await endWaits(ctx, event, [wait]);
    await endLogSearch(ctx.db, wait);
  }
}

async function firstSince(ctx: EngineContext, wait: LookingWait): Promise<HeardEvent | undefined> {
  const { projectId, runId, eventName, since, eventIf } = wait;
  const guard = eventIf === null ? undefined : guardOf(ctx, eventIf);
  const question = { projectId, runId, eventName, since, window, limit: guard ? window : 1 };
  const ids = (await listSince(ctx.db, question)).map((row) => row.eventId);
  for (let start = 0; start < ids.length; ) {
    const page = { eventIds: ids.slice(start, start + pageSize), maxBytes: maxPageBytes };
    const events = await selectHeard(ctx.db, page);
    const { first, faults } = await ctx.slices.run(projectId, accepted(guard, events, runId));
    await logWaitFaults(ctx, { projectId }, faults);
    if (first) return first;
    start += Math.max(1, events.length);
  }
  return undefined;
}

function* accepted(
  guard: StoredGuard | undefined,
  events: readonly HeardEvent[],
  runId: string,
): Steps<{ first: HeardEvent | undefined; faults: WaitFault[] }> {
  const faults: WaitFault[] = [];
  if (!guard) return { first: events[0], faults };
  for (const event of events) {
    yield;
    const onFault = (reason: string): unknown => faults.push({ runId, guard: guard.source, reason });
    if (new EventGuards(() => asGuardEvent(event)).holds(guard, onFault)) return { first: event, faults };
  }
  return { first: undefined, faults };
}

const olderThanMs = 5_000;
const recoverPage = 200;

/** Finishes the searches of processes that died. Returns the number of waits. */
export async function recoverLooks(ctx: EngineContext): Promise<number> {
  const waits = await listLooking(ctx.db, { olderThanMs, limit: recoverPage, now: ctx.clock.sql() });
  const runs = new Map(waits.map((wait) => [wait.runId, wait.projectId]));
  for (const [runId, projectId] of runs) await takeLook(ctx, projectId, [runId]);
  return waits.length;
}

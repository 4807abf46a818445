import { Batcher } from '../batcher.ts';
import { digestOf, EventGuards, valueAtPath } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { isTransient, retryTransient } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import { type Cancelling, cancelRuns } from './cancelRuns.ts';
import { endWaits } from './endWaits.ts';
import { logWaitFaults } from './guardFaults.ts';
import { asGuardEvent } from './heardEvent.ts';
import { lookBack } from './lookBack.ts';
import { turnsFor } from './lookTurns.ts';
import { type Delivered, numberSoon } from './numberEvents.ts';
import { findWaitPaths } from './sql/findWaitPaths.ts';
import { findWaits } from './sql/findWaits.ts';
import { listPending } from './sql/listPending.ts';
import { satisfiedBy, withGuards } from './waitGuards.ts';

type PendingEvent = Awaited<ReturnType<typeof findWaitPaths>>[number];
/**
 * The number of runs that an event woke, or the error. `later`: the event's guards need further
 * turns of the event loop, so the event has left its batch.
 */
type Waking = { woke: number } | { error: unknown } | { later: Promise<number> };

/**
 * Each look-up sorts all matching waits, so its pages are large. A settled page holds its locks
 * until its commit, so those pages are small.
 */
const findPage = 5_000;
const settlePage = 500;

const batcherOf = perEngine((ctx) => {
  const limits = { maxItems: 200, maxInFlight: 2, maxQueued: 20_000 };
  return new Batcher({ flush: (events: Delivered[]) => wakeAll(ctx, events), ...limits });
});

/**
 * Ends the waits that a recorded event satisfies, and cancels the runs that it ends (`cancelOn`).
 * Returns the number of woken runs (4.3 `woke`). Idempotent: a repeated look-up ends no further
 * waits. So any process may finish the work of another.
 */
async function wakeWaiters(ctx: EngineContext, event: Delivered): Promise<number> {
  // The sweep must not repeat a look-up that is in progress.
  const inProgress = laterOf(ctx).get(event.eventId);
  if (inProgress) return inProgress;
  const waking = await batcherOf(ctx).add(event);
  if ('error' in waking) throw waking.error;
  return 'later' in waking ? waking.later : waking.woke;
}

/** The look-ups that have left their batch, by event. */
const laterOf = perEngine(() => new Map<string, Promise<number>>());

/**
 * Wakes the waiters of a recorded event. Afterwards the event gets its number, and streams deliver
 * it, so its record names its waiters. If the look-up fails for a transient reason, it is retried
 * in the background. The caller gets the error, because the count is lost.
 */
export async function deliverEvent(ctx: EngineContext, event: Delivered): Promise<number> {
  try {
    return await wakeWaiters(ctx, event);
  } catch (error) {
    if (isTransient(error)) wakeWaitersSoon(ctx, event);
    throw error;
  }
}

/** Wakes the waiters of an event in the background. Transient failures are retried. */
export function wakeWaitersSoon(ctx: EngineContext, event: Delivered): void {
  retryTransient(() => wakeWaiters(ctx, event)).catch((error: unknown) => {
    ctx.log.warn({ error, eventId: event.eventId }, 'waking the waiters of an event failed: retrying later');
  });
}

/** An event whose look-up failed stays pending, and does not delay the others. */
async function wakeAll(ctx: EngineContext, events: Delivered[]): Promise<Waking[]> {
  const wakings = new Map<string, Waking>();
  const byId = new Map(events.map((event) => [event.eventId, event]));
  for (const event of await findWaitPaths(ctx.db, { eventIds: events.map(({ eventId }) => eventId) })) {
    const delivered = byId.get(event.eventId);
    if (delivered) wakings.set(event.eventId, await tryWake(ctx, event, delivered));
  }
  const outcomes = events.map(({ eventId }): Waking => wakings.get(eventId) ?? { woke: 0 });
  // The answer is complete without the number, so no caller waits for it.
  void numberSoon(
    ctx,
    events.filter((_, position) => 'woke' in (outcomes[position] ?? {})),
  );
  return outcomes;
}

/** Resolves at the latest when the event has to wait: then the batch goes on without it. */
async function tryWake(ctx: EngineContext, event: PendingEvent, delivered: Delivered): Promise<Waking> {
  let leave = (): void => {};
  const left = new Promise<undefined>((resolve) => {
    leave = () => resolve(undefined);
  });
  const waking = wakeAndCancel(ctx, event, leave);
  const done = waking.then(
    (woke): Waking => ({ woke }),
    (error: unknown): Waking => ({ error }),
  );
  return (await Promise.race([done, left])) ?? { later: finishLater(ctx, delivered, waking) };
}

/** The event gets its number by itself. */
function finishLater(ctx: EngineContext, event: Delivered, waking: Promise<number>): Promise<number> {
  noteWaking(ctx, event.eventId, waking).then(
    () => void numberSoon(ctx, [event]),
    () => undefined,
  );
  return waking;
}

/** Remembers a look-up while it is in progress, so that the sweep does not repeat it. */
export function noteWaking(ctx: EngineContext, eventId: string, waking: Promise<number>): Promise<number> {
  laterOf(ctx).set(eventId, waking);
  return waking.finally(() => laterOf(ctx).delete(eventId));
}

/** Calls `onWait` when the rest has to wait for later turns of the event loop, or may take long. */
export async function wakeAndCancel(ctx: EngineContext, event: PendingEvent, onWait: () => void): Promise<number> {
  const turns = turnsFor(ctx, event.projectId);
  const woke = event.paths.length === 0 ? 0 : await turns.take('', () => wakeBy(ctx, event, onWait), onWait);
  const cancelling = await cancellingOf(ctx, event);
  if (cancelling) {
    onWait();
    await turns.take('', () => cancelRuns(ctx, cancelling));
  }
  return woke;
}

/** The runs that an event cancels, by the registry in force. `targetApp` narrows them. */
async function cancellingOf({ registry }: EngineContext, event: PendingEvent): Promise<Cancelling | undefined> {
  const { projectId, name, targetApp, receivedAt } = event;
  const rules = (await registry.snapshot(projectId)).cancelRules(name);
  const addressed = targetApp === null ? rules : rules.filter(({ app }) => app === targetApp);
  if (addressed.length === 0) return undefined;
  return { projectId, receivedAt, event: asGuardEvent(event), rules: addressed };
}

/** Calls `onWait` when its guards have to wait for a later turn of the event loop. */
async function wakeBy(ctx: EngineContext, event: PendingEvent, onWait: () => void): Promise<number> {
  const seen = asGuardEvent(event);
  const guards = new EventGuards(() => seen);
  const keys = event.paths.flatMap((path) => keyAt(path, seen.data));
  let woke = 0;
  /** Waits are ordered by run. The waits of the last woken run may continue on the next page. */
  let last: string | undefined;
  let after: { runId: string; stepIndex: number } | undefined;
  for (;;) {
    const waits = withGuards(
      ctx,
      await findWaits(ctx.db, {
        projectId: event.projectId,
        eventName: event.name,
        paths: keys.map((key) => key.path),
        values: keys.map((key) => key.value),
        eventId: event.eventId,
        receivedAt: event.receivedAt,
        transaction: event.transaction,
        after,
        limit: findPage,
      }),
    );
    const { satisfied, faults } = await ctx.slices.run(event.projectId, satisfiedBy(guards, waits), onWait);
    for (let start = 0; start < satisfied.length; start += settlePage) {
      const page = satisfied.slice(start, start + settlePage);
      const looking = page.filter((wait) => wait.looksBack);
      if (looking.length > 0) await lookBack(ctx, [...new Set(looking.map((wait) => wait.runId))]);
      const woken = await endWaits(ctx, event, page);
      woke += woken.filter((runId) => runId !== last).length;
      last = woken.at(-1) ?? last;
    }
    await logWaitFaults(ctx, event, faults);
    const end = waits.at(-1);
    if (!end || waits.length < findPage) return woke;
    after = { runId: end.runId, stepIndex: end.stepIndex };
  }
}

function keyAt(path: string, data: unknown): { path: string; value: string }[] {
  if (path === '') return [{ path, value: '' }];
  const value = digestOf(valueAtPath(data, path));
  return value === undefined ? [] : [{ path, value }];
}

const olderThanMs = 5_000;
const pageSize = 200;

/**
 * Finishes the look-ups of processes that died after recording an event. Returns the number of
 * pending events. If a look-up fails, it throws after all the others are done.
 */
export async function recoverPending(ctx: EngineContext): Promise<number> {
  const pending = await listPending(ctx.db, { olderThanMs, limit: pageSize, now: ctx.clock.sql() });
  const outcomes = await Promise.allSettled(pending.map((event) => wakeWaiters(ctx, event)));
  for (const each of outcomes) if (each.status === 'rejected') throw each.reason;
  return pending.length;
}

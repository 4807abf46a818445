import { Batcher } from '../batcher.ts';
import { digestOf, forEachYielding, valueAtPath } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { isTransient, retryTransient } from '../db/index.ts';
import type { NewEvent } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { GuardEvent } from '../model/index.ts';
import { perEngine } from '../perEngine.ts';
import { type Cancelling, cancelRuns } from './cancelRuns.ts';
import { findWaitPaths } from './sql/findWaitPaths.ts';
import { findWaits } from './sql/findWaits.ts';
import { clearPending, listPending } from './sql/listPending.ts';
import { settleWaits } from './sql/settleWaits.ts';
import { storedGuard } from './storedGuard.ts';

type PendingEvent = Awaited<ReturnType<typeof findWaitPaths>>[number];
type Candidate = Awaited<ReturnType<typeof findWaits>>[number];
/** The number of runs that an event woke, and what it cancels; or the error. */
type Waking = { woke: number; cancelling?: Cancelling | undefined } | { error: unknown };

/**
 * Each look-up sorts all matching waits, so its pages are large. A settled page holds its locks
 * until its commit, so those pages are small.
 */
const findPage = 5_000;
const settlePage = 500;

type Delivered = Pick<NewEvent, 'projectId' | 'eventId' | 'app' | 'name'>;

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
  const waking = await batcherOf(ctx).add(event);
  if ('error' in waking) throw waking.error;
  if (waking.cancelling) {
    // Not in the batch, because a long search must not delay the other events.
    await cancelRuns(ctx, waking.cancelling);
    void numberSoon(ctx, [event]);
  }
  return waking.woke;
}

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

function wakeWaitersSoon(ctx: EngineContext, event: Delivered): void {
  retryTransient(() => wakeWaiters(ctx, event)).catch((error: unknown) => {
    ctx.log.warn({ error, eventId: event.eventId }, 'waking the waiters of an event failed: retrying later');
  });
}

/** An event whose look-up failed stays pending, and does not delay the others. */
async function wakeAll(ctx: EngineContext, events: Delivered[]): Promise<Waking[]> {
  const wakings = new Map<string, Waking>();
  for (const event of await findWaitPaths(ctx.db, { eventIds: events.map(({ eventId }) => eventId) })) {
    wakings.set(event.eventId, await tryWake(ctx, event));
  }
  const outcomes = events.map(({ eventId }): Waking => wakings.get(eventId) ?? { woke: 0 });
  // The answer is complete without the number, so no caller waits for it.
  void numberSoon(
    ctx,
    events.filter((_, position) => isDone(outcomes[position])),
  );
  return outcomes;
}

/** An event that cancels runs stays pending until they have ended. */
const isDone = (waking: Waking | undefined): boolean =>
  waking !== undefined && !('error' in waking) && waking.cancelling === undefined;

/** Events whose waiters are awake, but which have no number yet. */
const unnumberedOf = perEngine(() => ({ events: [] as Delivered[], isNumbering: false }));
const numberPage = 1_000;

/**
 * Only one process at a time may number the events of a project. A process runs one such statement
 * at a time, so it waits with one connection. Events that arrive meanwhile share the next
 * statement.
 */
async function numberSoon(ctx: EngineContext, events: readonly Delivered[]): Promise<void> {
  const unnumbered = unnumberedOf(ctx);
  // Without payloads: the queue may grow while the database is slow.
  for (const { projectId, eventId, app, name } of events) unnumbered.events.push({ projectId, eventId, app, name });
  if (unnumbered.isNumbering) return;
  unnumbered.isNumbering = true;
  while (unnumbered.events.length > 0) await number(ctx, unnumbered.events.splice(0, numberPage));
  unnumbered.isNumbering = false;
}

async function number(ctx: EngineContext, events: readonly Delivered[]): Promise<void> {
  try {
    await retryTransient(() => clearPending(ctx.db, { eventIds: events.map(({ eventId }) => eventId) }));
    for (const { projectId, eventId, app, name } of events)
      ctx.bus.emit('event.ingested', { projectId, eventId, app, name });
  } catch (error) {
    // One bad row must not keep the other events from their numbers.
    if (events.length > 1 && !isTransient(error)) for (const event of events) await number(ctx, [event]);
    else ctx.log.warn({ error, eventId: events[0]?.eventId }, 'numbering events failed: retrying later');
  }
}

async function tryWake(ctx: EngineContext, event: PendingEvent): Promise<Waking> {
  try {
    const woke = event.paths.length > 0 ? await wakeBy(ctx, event) : 0;
    return { woke, cancelling: await cancellingOf(ctx, event) };
  } catch (error) {
    return { error };
  }
}

/** What an event cancels, by the registry in force. An event to an app cancels no other runs. */
async function cancellingOf({ registry }: EngineContext, event: PendingEvent): Promise<Cancelling | undefined> {
  const { projectId, name, targetApp, receivedAt } = event;
  const rules = (await registry.snapshot(projectId)).cancelRules(name);
  const addressed = targetApp === null ? rules : rules.filter(({ app }) => app === targetApp);
  if (addressed.length === 0) return undefined;
  return { projectId, receivedAt, event: asGuardEvent(event), rules: addressed };
}

async function wakeBy(ctx: EngineContext, event: PendingEvent): Promise<number> {
  const seen = asGuardEvent(event);
  const keys = event.paths.flatMap((path) => keyAt(path, seen.data));
  let woke = 0;
  /** Waits are ordered by run. The waits of the last woken run may continue on the next page. */
  let last: string | undefined;
  let after: { runId: string; stepIndex: number } | undefined;
  for (;;) {
    const candidates = await findWaits(ctx.db, {
      projectId: event.projectId,
      eventName: event.name,
      paths: keys.map((key) => key.path),
      values: keys.map((key) => key.value),
      receivedAt: event.receivedAt,
      transaction: event.transaction,
      after,
      limit: findPage,
    });
    const satisfied: Candidate[] = [];
    await forEachYielding(candidates, (candidate) => {
      if (satisfies(ctx, candidate, seen)) satisfied.push(candidate);
    });
    for (let start = 0; start < satisfied.length; start += settlePage) {
      const woken = await settle(ctx, event, satisfied.slice(start, start + settlePage));
      woke += woken.filter((runId) => runId !== last).length;
      last = woken.at(-1) ?? last;
    }
    const end = candidates.at(-1);
    if (!end || candidates.length < findPage) return woke;
    after = { runId: end.runId, stepIndex: end.stepIndex };
  }
}

function keyAt(path: string, data: unknown): { path: string; value: string }[] {
  if (path === '') return [{ path, value: '' }];
  const value = digestOf(valueAtPath(data, path));
  return value === undefined ? [] : [{ path, value }];
}

function satisfies(ctx: EngineContext, { runId, eventIf }: Candidate, event: GuardEvent): boolean {
  return eventIf === null || storedGuard(ctx, { runId, eventIf }).evaluate(event);
}

/** Returns the woken runs, in order. */
async function settle(ctx: EngineContext, event: PendingEvent, candidates: Candidate[]): Promise<string[]> {
  if (candidates.length === 0) return [];
  const rows = await settleWaits(ctx.db, {
    eventId: event.eventId,
    memo: memoOf(event),
    waits: candidates.map((each) => ({ runId: each.runId, stepIndex: each.stepIndex })),
    now: ctx.clock.sql(),
  });
  const laneIds = new Set<number>();
  for (const { laneId, becameReady, steps } of rows) if (becameReady || steps === 0) laneIds.add(laneId);
  const woken = rows.filter((row) => row.steps > 0);
  ctx.bus.emit('run.moved', { runs: woken });
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
  return woken.map((row) => row.runId).sort();
}

/**
 * The result of `step.waitForEvent` (rulings on memo data). The payload is copied unchanged. An
 * event without one has an empty object, as in runs.
 */
function memoOf({ eventId: id, name, data, receivedAt }: PendingEvent): string {
  return `{"id":"${id}","name":${JSON.stringify(name)},"data":${data ?? '{}'},"ts":"${receivedAt.toISOString()}"}`;
}

const asGuardEvent = (event: PendingEvent): GuardEvent => ({
  id: event.eventId,
  name: event.name,
  data: event.data === null ? undefined : RawJson.trusted(event.data).parse(),
  ts: event.receivedAt.toISOString(),
  tags: event.tags ?? undefined,
  session: event.session ?? undefined,
});

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

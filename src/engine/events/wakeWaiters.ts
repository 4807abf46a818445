import { Batcher } from '../batcher.ts';
import { digestOf, forEachYielding, valueAtPath } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { isTransient, retryTransient } from '../db/index.ts';
import type { NewEvent } from '../ingest/index.ts';
import { RawJson } from '../json/index.ts';
import type { GuardEvent } from '../model/index.ts';
import { perEngine } from '../perEngine.ts';
import { findWaitPaths } from './sql/findWaitPaths.ts';
import { findWaits } from './sql/findWaits.ts';
import { clearPending, listPending } from './sql/listPending.ts';
import { settleWaits } from './sql/settleWaits.ts';
import { storedGuard } from './storedGuard.ts';

type PendingEvent = Awaited<ReturnType<typeof findWaitPaths>>[number];
type Candidate = Awaited<ReturnType<typeof findWaits>>[number];
/** How many runs an event woke, or what kept it from that. */
type Looked = { woke: number } | { error: unknown };

/**
 * Each look-up sorts all that match: larger pages, fewer looks. What is settled in one go holds its
 * locks until all is.
 */
const findPage = 5_000;
const settlePage = 500;

type Delivered = Pick<NewEvent, 'projectId' | 'eventId' | 'app' | 'name'>;

const batcherOf = perEngine((ctx) => {
  const limits = { maxItems: 200, maxInFlight: 2, maxQueued: 20_000 };
  return new Batcher({ flush: (events: Delivered[]) => wakeAll(ctx, events), ...limits });
});

/**
 * Ends the waits that a recorded event satisfies, and answers how many runs that woke (4.3 `woke`).
 * Idempotent: an event that was looked up before ends nothing more, so that any process may finish
 * what another began.
 */
async function wakeWaiters(ctx: EngineContext, event: Delivered): Promise<number> {
  const looked = await batcherOf(ctx).add(event);
  if ('error' in looked) throw looked.error;
  return looked.woke;
}

/**
 * Wakes the waiters of an event that was recorded just now. Then the event gets its number, and
 * streams tell it; its record names the waiters. When the look-up fails for passing reasons, it is
 * tried again without the caller, for whom the count would be lost.
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
    ctx.log.warn({ error, eventId: event.eventId }, 'waiters of an event are woken later');
  });
}

/** An event that cannot be looked up stays pending, and keeps no other from it. */
async function wakeAll(ctx: EngineContext, events: Delivered[]): Promise<Looked[]> {
  const looked = new Map<string, Looked>();
  for (const event of await findWaitPaths(ctx.db, { eventIds: events.map(({ eventId }) => eventId) })) {
    if (event.paths.length > 0) looked.set(event.eventId, await lookFor(ctx, event));
  }
  const outcomes = events.map(({ eventId }): Looked => looked.get(eventId) ?? { woke: 0 });
  // No caller waits for this: the answer is complete once the waits have ended.
  void numberSoon(
    ctx,
    events.filter((_, position) => !('error' in (outcomes[position] ?? {}))),
  );
  return outcomes;
}

/** Events whose waiters are awake, and which have no number yet. */
const unnumberedOf = perEngine(() => ({ events: [] as Delivered[], isNumbering: false }));
const numberPage = 1_000;

/**
 * Processes give out the numbers of a project in turns. One statement at a time, so that a process
 * waits for its turn with one connection; what comes meanwhile shares the next.
 */
async function numberSoon(ctx: EngineContext, events: readonly Delivered[]): Promise<void> {
  const unnumbered = unnumberedOf(ctx);
  unnumbered.events.push(...events);
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
    ctx.log.warn({ error }, 'events stay on the list of pending look-ups for now');
  }
}

async function lookFor(ctx: EngineContext, event: PendingEvent): Promise<Looked> {
  try {
    return { woke: await wakeBy(ctx, event) };
  } catch (error) {
    return { error };
  }
}

async function wakeBy(ctx: EngineContext, event: PendingEvent): Promise<number> {
  const seen = asGuardEvent(event);
  const keys = event.paths.flatMap((path) => keyAt(path, seen.data));
  let woke = 0;
  /** Waits come by run: those of the last one that was woken may go on in the next page. */
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

/** Answers the runs that it woke, in order. */
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
 * What `step.waitForEvent` resolves with (rulings on memo data). The payload goes in as it came;
 * none reads as one of nothing, as in runs.
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
 * Finishes the look-ups of processes that died after recording an event. Answers how many events it
 * took up; throws when one of them could not be looked up, once all others have been.
 */
export async function recoverPending(ctx: EngineContext): Promise<number> {
  const pending = await listPending(ctx.db, { olderThanMs, limit: pageSize, now: ctx.clock.sql() });
  const looked = await Promise.allSettled(pending.map((event) => wakeWaiters(ctx, event)));
  for (const each of looked) if (each.status === 'rejected') throw each.reason;
  return pending.length;
}

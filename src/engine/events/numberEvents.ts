import type { EngineContext } from '../context.ts';
import { isTransient, retryTransient } from '../db/index.ts';
import type { NewEvent } from '../ingest/index.ts';
import { perEngine } from '../perEngine.ts';
import { clearPending } from './sql/listPending.ts';

/** A recorded event. */
export type Delivered = Pick<NewEvent, 'projectId' | 'eventId' | 'app' | 'name'>;

/** Events whose waiters are awake, but which have no number yet. */
const unnumberedOf = perEngine(() => ({ events: [] as Delivered[], isNumbering: false }));
const numberPage = 1_000;

/**
 * Only one process at a time may number the events of a project. A process runs one such statement
 * at a time, so it waits with one connection. Events that arrive meanwhile share the next
 * statement.
 */
export async function numberSoon(ctx: EngineContext, events: readonly Delivered[]): Promise<void> {
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

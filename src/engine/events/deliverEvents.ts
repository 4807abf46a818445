import type { EngineContext } from '../context.ts';
import { type Delivered, numberSoon } from './numberEvents.ts';
import { findWaitPaths } from './sql/findWaitPaths.ts';
import { noteWaking, wakeAndCancel, wakeWaitersSoon } from './wakeWaiters.ts';

/** Events whose payloads are read at once. */
const page = 200;

/**
 * Wakes the waiters of events that were recorded together, one event after the other: of two events
 * that would wake a run, the first one wakes it. Returns the number of woken runs for each. After a
 * failure, the rest is done in the background, and the caller gets the error, because the counts
 * are lost.
 */
export async function deliverEvents(ctx: EngineContext, events: readonly Delivered[]): Promise<number[]> {
  const woke: number[] = [];
  try {
    for (let start = 0; start < events.length; start += page) {
      const part = events.slice(start, start + page);
      for (const count of await wakeInOrder(ctx, part)) woke.push(count);
      void numberSoon(ctx, part);
    }
    return woke;
  } catch (error) {
    for (const event of events.slice(woke.length)) wakeWaitersSoon(ctx, event);
    throw error;
  }
}

async function wakeInOrder(ctx: EngineContext, events: readonly Delivered[]): Promise<number[]> {
  const found = await findWaitPaths(ctx.db, { eventIds: events.map(({ eventId }) => eventId) });
  const pending = new Map(found.map((event) => [event.eventId, event]));
  const woke: number[] = [];
  for (const { eventId } of events) {
    const event = pending.get(eventId);
    woke.push(
      event
        ? await noteWaking(
            ctx,
            eventId,
            wakeAndCancel(ctx, event, () => undefined),
          )
        : 0,
    );
  }
  return woke;
}

import type { EngineContext } from '../context.ts';
import { listPending } from './sql/listPending.ts';
import { wakeWaiters } from './wakeWaiters.ts';

const olderThanMs = 5_000;
const pageSize = 200;

/**
 * Finishes the look-ups of processes that died after recording an event. Answers how many events it took up; throws when one of
 * them could not be looked up, once all others have been.
 */
export async function recoverPending(ctx: EngineContext): Promise<number> {
  const pending = await listPending(ctx.db, { olderThanMs, limit: pageSize, now: ctx.clock.sql() });
  const looked = await Promise.allSettled(pending.map((row) => wakeWaiters(ctx, row.eventId)));
  for (const each of looked) if (each.status === 'rejected') throw each.reason;
  return pending.length;
}

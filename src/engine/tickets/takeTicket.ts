import type { EngineContext } from '../context.ts';
import { hashKey, prefixOf, StrangerLane } from '../keys/index.ts';
import { perEngine } from '../perEngine.ts';
import { type TicketRow, takeTickets } from './sql/takeTickets.ts';

/** A ticket that this process has taken. */
interface Taken extends TicketRow {
  isUsed: boolean;
}

/** Anyone may send tickets, so they are taken in few statements at once. */
const takenTickets = perEngine(
  (ctx) =>
    new StrangerLane<Taken>({
      atOnce: 2,
      maxTogether: 500,
      maxWaiting: 2_000,
      load: async (names) => {
        const hashes = names.map((name) => Buffer.from(name, 'hex'));
        const rows = await takeTickets(ctx.db, { hashes, now: ctx.clock.sql() });
        return new Map(rows.map((row) => [row.hash, { ...row, isUsed: false }]));
      },
    }),
);

/**
 * Takes a ticket with a prefix: it is used then. Undefined if it is unknown, used or expired, or if
 * its key has ended. A malformed one costs no statement. Throws `busy` if too many tickets are
 * being looked up.
 */
export async function takeTicket(
  ctx: EngineContext,
  { ticket, prefix, isGone }: { ticket: string; prefix: string; isGone: () => boolean },
): Promise<TicketRow | undefined> {
  if (prefixOf(ticket) !== prefix) return undefined;
  const taken = await takenTickets(ctx).find(hashKey(ticket).toString('hex'), isGone);
  // Requests that bring the same ticket at the same time share the statement.
  if (!taken || taken.isUsed) return undefined;
  taken.isUsed = true;
  return taken;
}

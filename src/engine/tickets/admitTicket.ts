import type { EngineContext } from '../context.ts';
import { unauthenticated } from '../errors.ts';
import { type Admitted, hashKey, openTurn, type Presence, prefixOf, StrangerLane } from '../keys/index.ts';
import { perEngine } from '../perEngine.ts';
import { ticketPrefix, withoutSlash } from './issueTicket.ts';
import { type TicketRow, takeTickets } from './sql/takeTickets.ts';

/** A ticket that a request brought. */
export interface PresentedTicket {
  ticket: string;
  /** The path of the request, without its query. */
  path: string;
}

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
 * Admits the first request that brings a ticket, which is then used. The caller reads as with a
 * public key, because the user of a page can see all that the page reads. The stream counts as one
 * of the key that asked for the ticket, and ends with it. Throws `unauthenticated`, and `busy` like
 * `admitRequest`.
 */
export async function admitTicket(
  ctx: EngineContext,
  { ticket, path }: PresentedTicket,
  caller: Presence,
): Promise<Admitted> {
  if (prefixOf(ticket) !== ticketPrefix) throw refusedTicket();
  const taken = await takenTickets(ctx).find(hashKey(ticket).toString('hex'), () => caller.isGone());
  // Requests that bring the same ticket at the same time share the statement.
  if (!taken || taken.isUsed) throw refusedTicket();
  taken.isUsed = true;
  if (taken.path !== null && taken.path !== withoutSlash(path)) throw refusedTicket();
  const { keyId, keyName, projectId } = taken;
  const principal = { kind: 'public', keyId, keyName, projectId } as const;
  const turn = openTurn(ctx, principal, caller);
  await turn.begun;
  return { principal, turn };
}

const refusedTicket = (): Error => unauthenticated('the stream ticket is unknown, used, expired, or for another path');

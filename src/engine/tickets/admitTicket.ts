import type { EngineContext } from '../context.ts';
import { unauthenticated } from '../errors.ts';
import { type Admitted, openTurn, type Presence } from '../keys/index.ts';
import { ticketPrefix, withoutSlash } from './issueTicket.ts';
import { takeTicket } from './takeTicket.ts';

/** A ticket that a request brought. */
export interface PresentedTicket {
  ticket: string;
  /** The path of the request, without its query. */
  path: string;
}

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
  const taken = await takeTicket(ctx, { ticket, prefix: ticketPrefix, isGone: () => caller.isGone() });
  if (!taken || (taken.path !== null && taken.path !== withoutSlash(path)))
    throw unauthenticated('the stream ticket is unknown, used, expired, or for another path');
  const { keyId, keyName, projectId } = taken;
  const principal = { kind: 'public', keyId, keyName, projectId } as const;
  const turn = openTurn(ctx, principal, caller);
  await turn.begun;
  return { principal, turn };
}

import type { EngineContext } from '../context.ts';
import { busy } from '../errors.ts';
import { authenticate, type Credentials } from './authenticate.ts';
import { keyBounds } from './keyRing.ts';
import type { KeyTurn } from './keyTurns.ts';
import type { Principal } from './require.ts';

/** The connection of a caller. */
export interface Presence {
  isGone(): boolean;
  /** Calls `then` when the request has been answered or its caller has gone. */
  whenOver(then: () => void): void;
}

export interface Admitted {
  principal: Principal;
  /** The place of the request among those of its key. It ends with the request. */
  turn: KeyTurn;
}

/**
 * Authenticates the caller of a request, and waits for its turn among the requests of its key.
 * Nobody works for a caller who has gone. Throws like `authenticate`, and `busy` if the key has too
 * many requests.
 */
export async function admitRequest(ctx: EngineContext, credentials: Credentials, caller: Presence): Promise<Admitted> {
  const isGone = (): boolean => caller.isGone();
  const principal = await authenticate(ctx, credentials, isGone);
  const turn = openTurn(ctx, principal, caller);
  if (!turn.begun) return { principal, turn };
  await turn.begun;
  // The key may have been revoked meanwhile.
  return { principal: await authenticate(ctx, credentials, isGone), turn };
}

/**
 * Opens a turn for a caller, which ends with the request. Throws `busy` if the key has too many
 * requests, or the caller has gone.
 */
export function openTurn(ctx: EngineContext, principal: Principal, caller: Presence): KeyTurn {
  if (caller.isGone()) throw busy('the caller has gone');
  const turn = keyBounds(ctx).turns.open(principal);
  caller.whenOver(() => turn.end());
  return turn;
}

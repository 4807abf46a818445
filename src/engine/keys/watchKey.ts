import type { EngineContext } from '../context.ts';
import { keyRing } from './keyRing.ts';
import type { Principal } from './principal.ts';

/**
 * Calls `onEnded` once, within five seconds of the caller's key being revoked (by any process) or expiring: its sockets,
 * streams and subscriptions then end. Returns how to stop watching. The operator's key never ends.
 */
export function watchKey(ctx: EngineContext, principal: Principal, onEnded: () => void): () => void {
  if (principal.kind === 'operator') return () => {};
  return keyRing(ctx).watch.watch(principal.keyId, onEnded);
}

/** Looks at all watched keys now instead of with the next interval. Returns how many had ended. */
export const checkWatchedKeys = (ctx: EngineContext): Promise<number> => keyRing(ctx).watch.runOnce();

/** Writes down at once which keys were used: on the way out, before the database closes. Never throws. */
export const flushKeyUsage = (ctx: EngineContext): Promise<void> => keyRing(ctx).usage.flush();

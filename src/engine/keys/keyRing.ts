import type { EngineContext } from '../context.ts';
import { isId } from '../ids.ts';
import { perEngine } from '../perEngine.ts';
import { findProject } from '../projects/index.ts';
import { FreshCache } from './freshCache.ts';
import { KeyLookUp } from './keyLookUp.ts';
import { KeyPermits } from './keyPermits.ts';
import { hashKey } from './keys.ts';
import { KeyTurns } from './keyTurns.ts';
import { KeyUsage } from './keyUsage.ts';
import { KeyWatch } from './keyWatch.ts';
import type { Principal } from './require.ts';
import { findKeys, type KeyRow } from './sql/findKeys.ts';

/** How long this process may accept a key that another process revoked. */
const maxAgeMs = 2_000;

/** How long this process may refuse a key that another process has just created. */
const missMs = 1_000;

/** A read takes milliseconds, so a full queue is empty again after few of them. */
const strangers = { atOnce: 2, maxTogether: 500, maxWaiting: 2_000 };

/** The state of an engine about keys. All of it may be lost. */
export interface KeyRing {
  keys: KeyLookUp<KeyRow>;
  /** Ids of projects by id or name. */
  projects: FreshCache<string>;
  usage: KeyUsage;
  watch: KeyWatch;
  /** SHA-256 of the operator's key; undefined if there is none. */
  operatorHash: Buffer | undefined;
}

export const keyRing = perEngine((ctx): KeyRing => {
  const { operatorKey } = ctx.settings;
  const keys = new KeyLookUp({ maxAgeMs, missMs, strangers, load: (hashes) => readKeys(ctx, hashes) });
  ctx.bus.on('key.revoked', () => keys.revoked());
  return {
    keys,
    projects: new FreshCache({ maxEntries: 10_000, maxAgeMs, load: (ref) => projectIdOf(ctx, ref) }),
    usage: new KeyUsage(ctx),
    watch: new KeyWatch(ctx),
    operatorHash: operatorKey === '' ? undefined : hashKey(operatorKey),
  };
});

/** Requests of a key that wait for their turn, per request under way. */
const waitingPerTurn = 4;

/** The ceilings of each key in this process: requests under way, and sockets with streams. */
export const keyBounds = perEngine((ctx) => {
  const { answerWaitMs: waitMs, limits } = ctx.settings;
  const atOnce = limits.requestsPerKey;
  const permits = new KeyPermits(limits.streamsPerKey);
  return { permits, turns: new KeyTurns({ atOnce, maxWaiting: waitingPerTurn * atOnce, waitMs, permits }) };
});

async function readKeys(ctx: EngineContext, hashes: readonly string[]): Promise<ReadonlyMap<string, KeyRow>> {
  const given = hashes.map((hash) => Buffer.from(hash, 'hex'));
  const rows = await findKeys(ctx.db, { hashes: given, now: ctx.clock.sql() });
  return new Map(rows.map((row) => [row.hash, row]));
}

async function projectIdOf(ctx: EngineContext, ref: string): Promise<string | undefined> {
  const [project] = await findProject(ctx.db, isId(ref) ? { id: ref } : { name: ref });
  return project?.id;
}

/**
 * Calls `onEnded` once, within five seconds after the caller's key was revoked (by any process) or
 * expired. Sockets, streams and subscriptions use it to end. Returns a function that stops
 * watching. The operator's key never ends.
 */
export function watchKey(ctx: EngineContext, principal: Principal, onEnded: () => void): () => void {
  if (principal.kind === 'operator') return () => {};
  return keyRing(ctx).watch.watch(principal.keyId, onEnded);
}

/** Writes pending uses of keys before the database closes. Never throws. */
export const flushKeyUsage = (ctx: EngineContext): Promise<void> => keyRing(ctx).usage.flush();

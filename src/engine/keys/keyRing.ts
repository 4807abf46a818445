import type { EngineContext } from '../context.ts';
import { isId } from '../ids.ts';
import { perEngine } from '../perEngine.ts';
import { findProject } from '../projects/index.ts';
import { FreshCache } from './freshCache.ts';
import { hashKey } from './keys.ts';
import { KeyUsage } from './keyUsage.ts';
import { KeyWatch } from './keyWatch.ts';
import { findKey, type KeyRow } from './sql/findKey.ts';

/** A key revoked by another process opens doors here for at most this long. */
const maxAgeMs = 2_000;

/** What an engine keeps in memory about keys. All of it may be lost. */
export interface KeyRing {
  keys: FreshCache<KeyRow>;
  /** Ids of projects by their id or name. */
  projects: FreshCache<string>;
  usage: KeyUsage;
  watch: KeyWatch;
  /** SHA-256 of the operator's key; undefined when there is none. */
  operatorHash: Buffer | undefined;
}

/** The ring of an engine. */
export const keyRing = perEngine((ctx): KeyRing => {
  const { operatorKey } = ctx.settings;
  const keys = new FreshCache({
    maxEntries: 10_000,
    maxAgeMs,
    load: async (hash) => (await findKey(ctx.db, { hash: Buffer.from(hash, 'hex'), now: ctx.clock.sql() }))[0],
  });
  ctx.bus.on('key.revoked', () => keys.clear());
  return {
    keys,
    projects: new FreshCache({ maxEntries: 10_000, maxAgeMs, load: (ref) => projectIdOf(ctx, ref) }),
    usage: new KeyUsage(ctx),
    watch: new KeyWatch(ctx),
    operatorHash: operatorKey === '' ? undefined : hashKey(operatorKey),
  };
});

async function projectIdOf(ctx: EngineContext, ref: string): Promise<string | undefined> {
  const [project] = await findProject(ctx.db, isId(ref) ? { id: ref, name: null } : { id: null, name: ref });
  return project?.id;
}

import { BoundedCache } from '../../engine/boundedCache.ts';
import type { EngineContext } from '../../engine/context.ts';
import { busy } from '../../engine/errors.ts';
import { perEngine } from '../../engine/perEngine.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

const minuteMs = 60_000;
/** Sums of fractions are a little off. */
const tolerance = 1e-6;
const rememberedKeys = 10_000;
const bucketsOf = perEngine(() => new BoundedCache<string, Bucket>(rememberedKeys));

/**
 * Counts a write call of a key in this process: a bucket that holds a minute's calls, and refills
 * evenly. Throws `busy` with the seconds to wait. 0: no limit.
 */
export function admitWrite(engine: EngineContext, perMinute: number, key: string): void {
  if (perMinute === 0) return;
  const buckets = bucketsOf(engine);
  const nowMs = engine.clock.now().getTime();
  const known = buckets.get(key) ?? { tokens: perMinute, atMs: nowMs };
  const refilled = (Math.max(0, nowMs - known.atMs) * perMinute) / minuteMs;
  const tokens = Math.min(perMinute, known.tokens + refilled);
  if (tokens < 1 - tolerance) {
    const seconds = Math.ceil(((1 - tokens) * minuteMs) / perMinute / 1_000 - tolerance);
    throw busy(`too many writes of this key: wait ${seconds} seconds`);
  }
  buckets.set(key, { tokens: tokens - 1, atMs: nowMs });
}

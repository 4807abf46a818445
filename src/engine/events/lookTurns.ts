import { BoundedCache } from '../boundedCache.ts';
import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { Turns } from '../turns.ts';

/**
 * Look-ups of one project in progress. Each holds a page of waits, of events, or of runs' inputs.
 */
const turnsOf = perEngine(() => new BoundedCache<string, Turns>(1_000));
const turnsOptions = {
  atOnce: 16,
  maxWaiting: 20_000,
  waitMs: 60_000,
  refusal: 'too many events of this project wait for their guards',
};

export function turnsFor(ctx: EngineContext, projectId: string): Turns {
  const known = turnsOf(ctx).get(projectId);
  if (known) return known;
  const turns = new Turns(turnsOptions);
  turnsOf(ctx).set(projectId, turns);
  return turns;
}

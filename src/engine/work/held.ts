import type { EngineContext } from '../context.ts';

const sets = new WeakMap<EngineContext, Set<string>>();

/** Runs that this process knows it has leased. What is leased to it and not in here was claimed by an answer that got lost. */
export function held(ctx: EngineContext): Set<string> {
  let set = sets.get(ctx);
  if (!set) {
    set = new Set();
    sets.set(ctx, set);
  }
  return set;
}

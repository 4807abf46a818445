import type { EngineContext } from './context.ts';

/**
 * State that the functions of one engine share between calls: a batcher, a cache, a hub. The first
 * use creates it, and it lives as long as the engine. The engine keeps no other state.
 */
export function perEngine<Shared extends object>(make: (ctx: EngineContext) => Shared): (ctx: EngineContext) => Shared {
  const made = new WeakMap<EngineContext, Shared>();
  return (ctx) => {
    const known = made.get(ctx);
    if (known) return known;
    const shared = make(ctx);
    made.set(ctx, shared);
    return shared;
  };
}

import type { EngineContext } from './context.ts';

/**
 * State that the functions of one engine share between calls: a batcher, a cache, a hub. The first
 * use creates it, and it lives as long as the engine. The engine keeps no other state. All callers
 * share it: it uses the engine's own connections.
 */
export function perEngine<Shared extends object>(make: (ctx: EngineContext) => Shared): (ctx: EngineContext) => Shared {
  const made = new WeakMap<EngineContext, Shared>();
  return (ctx) => {
    const engine = ctx.root ?? ctx;
    const known = made.get(engine);
    if (known) return known;
    const shared = make(engine);
    made.set(engine, shared);
    return shared;
  };
}

import type { EngineContext } from './context.ts';

/**
 * Something that functions of one engine share between their calls: a batcher, a cache, a hub. It
 * is made at its first use, and goes with the engine. All that the engine remembers beyond a call
 * is declared by this function.
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

import type { EngineContext } from '../context.ts';
import type { ProjectSnapshot } from '../model/index.ts';

/**
 * How long a decision is retried. Each runner that connects or disconnects may outdate the copy.
 */
const timeoutMs = 15_000;
const triesWithoutPause = 3;

/** A decision that writes nothing, or less than requested, because of what the snapshot lacks. */
export class Refusal<Result> {
  /** Carries out the refusal. */
  readonly carryOut: () => Result | Promise<Result>;

  constructor(carryOut: () => Result | Promise<Result>) {
    this.carryOut = carryOut;
  }
}

/** A refusal that throws the error. */
export const refusal = (error: Error): Refusal<never> =>
  new Refusal((): never => {
    throw error;
  });

/**
 * Decides on a cached snapshot, and retries on a fresh one while the write finds the version
 * outdated. The write checks the version, so no decision on an old copy takes effect. A refusal has
 * no such write, so it stands only if the copy was read after the call began. Throws after
 * `withinMs`.
 */
export async function onCurrentSnapshot<Result>(
  ctx: EngineContext,
  projectId: string,
  decide: (snapshot: ProjectSnapshot) => Promise<Result | 'stale' | Refusal<Result | 'stale'>>,
  withinMs = timeoutMs,
): Promise<Result> {
  const askedAtMs = performance.now();
  let sinceMs: number | undefined;
  for (let tries = 1; tries <= 2 || performance.now() < askedAtMs + withinMs; tries += 1) {
    const snapshot = await ctx.registry.snapshot(projectId, sinceMs);
    let result = await decide(snapshot);
    if (result instanceof Refusal) {
      if (snapshot.readAtMs < askedAtMs) {
        sinceMs = askedAtMs;
        continue;
      }
      result = await result.carryOut();
    }
    if (result !== 'stale') return result;
    ctx.registry.invalidate(projectId);
    // A random delay separates callers that collided.
    if (tries >= triesWithoutPause) await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  }
  throw new Error(`the registry of project ${projectId} changes faster than it can be read`);
}

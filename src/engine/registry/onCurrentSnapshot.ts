import type { EngineContext } from '../context.ts';
import type { ProjectSnapshot } from '../model/index.ts';

/**
 * For how long a decision is made anew while runners come and go all the time: each of them may
 * make a copy stale.
 */
const patienceMs = 15_000;
const triesWithoutPause = 3;

/**
 * What a decision comes to that writes nothing, or less than was asked for, because of what the
 * copy does not know.
 */
export class Refusal<Result> {
  /** Carries it out. */
  readonly stand: () => Result | Promise<Result>;

  constructor(stand: () => Result | Promise<Result>) {
    this.stand = stand;
  }
}

/** Answers the caller with the error. */
export const refusal = (error: Error): Refusal<never> =>
  new Refusal((): never => {
    throw error;
  });

/**
 * Decides on a cached snapshot, and again on a fresh one for as long as the write says that the
 * copy was stale. Since the write checks the version, no decision on an old copy ever takes effect.
 * A refusal has no write that would tell: it stands only on a copy that is younger than the
 * question. Throws when that goes on for `withinMs`.
 */
export async function onCurrentSnapshot<Result>(
  ctx: EngineContext,
  projectId: string,
  decide: (snapshot: ProjectSnapshot) => Promise<Result | 'stale' | Refusal<Result | 'stale'>>,
  withinMs = patienceMs,
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
      result = await result.stand();
    }
    if (result !== 'stale') return result;
    ctx.registry.invalidate(projectId);
    // Those who lose together would read, and lose, together again.
    if (tries >= triesWithoutPause) await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  }
  throw new Error(`the registry of project ${projectId} changes faster than it can be read`);
}

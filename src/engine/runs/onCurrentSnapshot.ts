import type { EngineContext } from '../context.ts';
import type { ProjectSnapshot } from '../registry/registry.ts';

/** For how long a decision is made anew while runners come and go all the time: each of them may make a copy stale. */
const patienceMs = 15_000;
const triesWithoutPause = 3;

/**
 * Decides on a cached snapshot, and again on a fresh one for as long as the write says that the copy was stale. Since
 * the write checks the version, no decision on an old copy ever takes effect. Throws when that goes on for `withinMs`.
 */
export async function onCurrentSnapshot<Result>(
  ctx: EngineContext,
  projectId: string,
  decide: (snapshot: ProjectSnapshot) => Promise<Result | 'stale'>,
  withinMs = patienceMs,
): Promise<Result> {
  const end = performance.now() + withinMs;
  for (let tries = 1; tries === 1 || performance.now() < end; tries += 1) {
    const result = await decide(await ctx.registry.snapshot(projectId));
    if (result !== 'stale') return result;
    ctx.registry.invalidate(projectId);
    // Those who lose together would read, and lose, together again.
    if (tries >= triesWithoutPause) await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  }
  throw new Error(`the registry of project ${projectId} changes faster than it can be read`);
}

import type { EngineContext } from '../context.ts';
import type { ProjectSnapshot } from '../registry/registry.ts';

const maxTries = 8;

/**
 * Decides on a cached snapshot, and again on a fresh one for as long as the write says that the copy was stale. Since
 * the write checks the version, no decision on an old copy ever takes effect.
 */
export async function onCurrentSnapshot<Result>(
  ctx: EngineContext,
  projectId: string,
  decide: (snapshot: ProjectSnapshot) => Promise<Result | 'stale'>,
): Promise<Result> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const result = await decide(await ctx.registry.snapshot(projectId));
    if (result !== 'stale') return result;
    ctx.registry.invalidate(projectId);
  }
  throw new Error(`the registry of project ${projectId} changes faster than it can be read`);
}

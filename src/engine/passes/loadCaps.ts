import { type Cap, type CappedSpend, noSpend, readRunSpends } from '../ai/index.ts';
import type { EngineContext } from '../context.ts';
import type { Pass } from './pass.ts';

/** Adds to each claimed pass the cap of its run, and the spend so far (2.2 `cap`). */
export async function loadCaps(ctx: EngineContext, passes: readonly Pass[]): Promise<void> {
  const capped: { pass: Pass; cap: Cap }[] = [];
  for (const projectId of new Set(passes.map((pass) => pass.projectId))) {
    const snapshot = await ctx.registry.snapshot(projectId);
    for (const pass of passes) {
      const cap = pass.projectId === projectId && snapshot.workflow(pass.app, pass.workflow)?.flowControl?.cap;
      if (cap) capped.push({ pass, cap });
    }
  }
  // A run that was never claimed before has no commit.
  const begun = capped.flatMap(({ pass }) => (pass.claimNo > 1 ? pass.runId : []));
  const spends = await readRunSpends(ctx.db, begun);
  for (const { pass, cap } of capped) pass.ai = { cap, spend: spends.get(pass.runId) ?? noSpend };
}

/** The same for an executing pass: a registration may have set, changed or removed the cap. */
export async function currentCap(
  ctx: EngineContext,
  pass: Pass,
  cap: Cap | undefined,
): Promise<CappedSpend | undefined> {
  if (!cap) return undefined;
  const spend = pass.ai?.spend ?? (await readRunSpends(ctx.db, [pass.runId])).get(pass.runId) ?? noSpend;
  return { cap, spend };
}

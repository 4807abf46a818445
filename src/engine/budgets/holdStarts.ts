import type { EngineContext } from '../context.ts';
import type { Queryable } from '../db/index.ts';
import { pauseRuns } from '../work/index.ts';
import type { WorkflowRef } from './budget.ts';
import { findSpent } from './sql/findSpent.ts';

/** A run that the caller has made in this transaction, of a workflow with a budget. */
export type BudgetedStart = WorkflowRef & { runId: string };

/**
 * Has runs begin paused whose workflow has nothing left to spend (2.2): else a workflow of short runs would go on spending between
 * two looks, whatever its budget. Answers which. They go on as all do that a budget has paused.
 */
export async function holdStarts(
  ctx: EngineContext,
  tx: Queryable,
  starts: readonly BudgetedStart[],
): Promise<readonly BudgetedStart[]> {
  if (starts.length === 0) return [];
  const spent = await findSpent(tx, { workflows: starts });
  const held = spent.flatMap(({ ord }) => starts[ord] ?? []);
  for (const projectId of new Set(held.map((each) => each.projectId))) {
    const runIds = held.flatMap((each) => (each.projectId === projectId ? [each.runId] : []));
    await pauseRuns(tx, { projectId, runIds, reason: 'budget', actor: null, now: ctx.clock.sql() });
  }
  return held;
}

import type { EngineContext } from '../context.ts';
import { wholeWorkflow } from '../flow/index.ts';
import { slotOf } from '../flow/policies/concurrency/index.ts';
import type { LaneKey, ProjectSnapshot } from '../model/index.ts';
import type { Demand } from './sql/claimWork.ts';
import type { LimitedDemand } from './sql/pickLimited.ts';

interface Split {
  free: Demand[];
  /** For lanes whose executing runs are counted. */
  limited: LimitedDemand[];
}

/**
 * Separates lanes whose workflow has a `concurrency` policy, or whose project has a ceiling, from
 * lanes without a limit. Decides by the cached definitions. If those are outdated, `claimWork`
 * takes no run of the lane, or `claimLimited` finds no limit (L3).
 */
export async function splitDemands(ctx: EngineContext, demands: readonly Demand[]): Promise<Split> {
  const lanes = await ctx.lanes.describe(demands.map((each) => each.laneId));
  const snapshots = new Map<string, ProjectSnapshot>();
  for (const { projectId } of lanes.values()) {
    if (!snapshots.has(projectId)) snapshots.set(projectId, await ctx.registry.snapshot(projectId));
  }
  const split: Split = { free: [], limited: [] };
  for (const demand of demands) {
    const lane = lanes.get(demand.laneId);
    const snapshot = lane && snapshots.get(lane.projectId);
    const limits = lane && snapshot && limitsOf(lane, snapshot);
    if (limits) split.limited.push({ ...demand, ...limits });
    else split.free.push(demand);
  }
  return split;
}

function limitsOf(lane: LaneKey, snapshot: ProjectSnapshot): Pick<LimitedDemand, 'defaultSlot'> | undefined {
  const { projectId, app, workflow } = lane;
  const isCounted = snapshot.workflow(app, workflow)?.flowControl?.concurrency !== undefined;
  if (!isCounted && snapshot.concurrencyCeiling === 0) return undefined;
  return { defaultSlot: isCounted ? slotOf(projectId, app, workflow, wholeWorkflow) : null };
}

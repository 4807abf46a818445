import type { EngineContext } from '../context.ts';
import { tallyOfWorkflow } from '../tally/index.ts';
import {
  announceRunning,
  type ClaimedRow,
  claimLimited,
  claimWork,
  held,
  inTurn,
  type LaneGroup,
  lanesWithMore,
  shareByOrder,
  splitDemands,
  suspectLeases,
} from '../work/index.ts';
import { buildPass } from './buildPass.ts';
import { endOverdueSteps } from './endOverdue.ts';
import { loadCaps } from './loadCaps.ts';
import { readMemos } from './loadMemo.ts';
import type { Pass } from './pass.ts';

export interface ClaimRequest {
  dispatcherId: string;
  groups: readonly LaneGroup[];
}

export interface Claimed<Each> {
  passes: Each[];
  /**
   * Lanes that may hold more ready runs. In the other lanes all ready runs are locked by others.
   */
  lanesWithMore: number[];
}

/**
 * Leases ready runs and reads what their invokes need. If the database fails halfway, the error is
 * thrown, and `releaseSuspects` later releases the runs that were leased.
 */
export async function claimRuns(ctx: EngineContext, request: ClaimRequest): Promise<Claimed<Pass>> {
  return inTurn(ctx, async () => {
    try {
      return await lease(ctx, request);
    } catch (error) {
      suspectLeases(ctx);
      throw error;
    }
  });
}

async function lease(ctx: EngineContext, { dispatcherId, groups }: ClaimRequest): Promise<Claimed<Pass>> {
  const shares = await shareByOrder(ctx, groups);
  const { free, limited } = await splitDemands(ctx, shares.demands);
  const [freely, counted] = await together(
    free.length === 0 ? [] : claimWork(ctx.db, { dispatcherId, demands: free, now: ctx.clock.sql() }),
    claimLimited(ctx, { dispatcherId, demands: limited }),
  );
  const rows = [...freely, ...counted.map((each) => each.row)];
  const taken = new Map(counted.map((each) => [each.row.id, each.taken]));
  // Only a run that was claimed before, or that copies another, can have steps.
  const known = rows.filter((row) => row.claimNo > 1 || row.replayOf !== null).map((row) => row.id);
  const memos = await readMemos(ctx.db, known);
  const passes = rows.map((row) => buildPass(row, { dispatcherId, taken: taken.get(row.id), memo: memos.get(row.id) }));
  await loadCaps(ctx, passes);
  for (const row of rows) if (row.turnedRunning) announceRunning(ctx, row);
  for (const row of rows) if (row.claimNo === 1) countWait(ctx, row);
  await endOverdueSteps(ctx, passes);
  for (const pass of passes) held(ctx).add(pass.runId);
  return { passes, lanesWithMore: lanesWithMore(shares, rows) };
}

const countWait = (ctx: EngineContext, row: ClaimedRow): void =>
  tallyOfWorkflow(ctx, row).wait.observe((row.now.getTime() - row.dueAt.getTime()) / 1000);

/** Resolves with both results. Rejects with either error once both have ended. */
async function together<One, Other>(one: One | Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}

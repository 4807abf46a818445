/**
 * Claims runs of lanes with a limit on how many execute at once (2.2 `concurrency`, project
 * ceiling).
 *
 * Owns: which runs may execute now, and which become `gated`. Does not own: opening the gates again
 * (`openGates`).
 *
 * Invariants:
 * L1. A slot is in use if and only if a run of it is `leased`. Without a counter, no slot can be
 *     lost or kept by mistake.
 * L2. Runs of such lanes become `leased` only here, under the locks of their slots and projects.
 *     Others may free slots meanwhile, but never take them.
 * L3. Limits are read from the database, under those locks.
 * L4. A claim that gated runs looks for free slots after its commit. A release looks for gated runs
 *     after its own commit. So one of them sees the commit of the other.
 */
import type { EngineContext } from '../context.ts';
import type { Queryable, Transaction } from '../db/index.ts';
import { openGatesSoon, sweepAfterMs } from '../flow/policies/concurrency/index.ts';
import { type ClaimCandidate, type Granted, grantClaims, type Room } from './grantClaims.ts';
import { adoptSlots } from './sql/adoptSlots.ts';
import { type CeilingRow, countCeilings } from './sql/countCeilings.ts';
import { countSlots, type SlotRow } from './sql/countSlots.ts';
import { type Gating, gateRuns } from './sql/gateRuns.ts';
import { leaseWork } from './sql/leaseWork.ts';
import type { ClaimedRow } from './sql/leasing.ts';
import { type LimitedDemand, type PickedRow, pickLimited } from './sql/pickLimited.ts';
import { readyOfSlots } from './sql/readyOfSlots.ts';

/** The slots that a run occupies while it executes. */
export interface Taken {
  slot: string | undefined;
  /** Whether it counts against its project's ceiling. */
  hasCeiling: boolean;
}

export interface LimitedClaim {
  row: ClaimedRow;
  taken: Taken;
}

/**
 * How often a claim that found full slots examines more of the queue. Other claims of this process
 * wait meanwhile.
 */
const maxRounds = 2;

/** How many runs of full slots one round gates beyond the runs that it picked. */
const maxBehind = 2_000;

interface Round {
  claims: LimitedClaim[];
  /** The remaining demands for lanes that may hold more runs. */
  left: LimitedDemand[];
}

/**
 * Leases the runs that have a free slot, in queue order. The others become `gated`, outside the
 * claim's index.
 */
export async function claimLimited(
  ctx: EngineContext,
  { dispatcherId, demands }: { dispatcherId: string; demands: readonly LimitedDemand[] },
): Promise<LimitedClaim[]> {
  const claims: LimitedClaim[] = [];
  let left = demands;
  for (let number = 0; left.length > 0 && number < maxRounds; number += 1) {
    const wanted = left;
    const round = await ctx.db.transaction((tx) => takeRound(ctx, tx, { dispatcherId, demands: wanted }));
    claims.push(...round.claims);
    left = round.left;
  }
  if (left.length > 0) ctx.bus.emit('work.ready', { laneIds: left.map((each) => each.laneId) });
  return claims;
}

async function takeRound(
  ctx: EngineContext,
  tx: Transaction,
  { dispatcherId, demands }: { dispatcherId: string; demands: readonly LimitedDemand[] },
): Promise<Round> {
  // L2, L3. The locks of `pickLimited` last until the commit.
  const picked = (await pickLimited(tx, { demands, now: ctx.clock.sql() })).map(candidateOf);
  const { leased, gated } = grantClaims(picked, await countedSlots(tx, picked), await countedProjects(tx, picked));
  const now = ctx.clock.sql();
  const adopted = leased.flatMap(({ runId, slot, isUnscoped }) =>
    isUnscoped && slot !== undefined ? { runId, slot } : [],
  );
  if (adopted.length > 0) await adoptSlots(tx, { runs: adopted });
  const runIds = leased.map((each) => each.runId);
  const rows = runIds.length === 0 ? [] : await leaseWork(tx, { dispatcherId, runIds, now });
  const left = leftOf(demands, picked, { leased, gated });
  await setAside(ctx, tx, { gated, hasMore: left.length > 0 });
  const byRun = new Map(leased.map((each) => [each.runId, each]));
  return {
    claims: rows.map((row) => ({ row, taken: takenBy(byRun.get(row.id)) })),
    // A dispatcher that was found dead gets no runs.
    left: rows.length < runIds.length ? [] : left,
  };
}

interface Gated {
  gated: Granted<Picked>['gated'];
  /** Another round follows: it must not find more ready runs of the same full slots. */
  hasMore: boolean;
}

/** Gates the runs without a free slot, and looks for free slots after the commit (L4). */
async function setAside(ctx: EngineContext, tx: Transaction, { gated, hasMore }: Gated): Promise<void> {
  const gatings = [
    ...gated.map(({ candidate, gate }) => ({ runId: candidate.runId, gate, slot: candidate.slot })),
    ...(hasMore ? await behind(tx, gated) : []),
  ];
  if (gatings.length === 0) return;
  const moved = await gateRuns(tx, { gatings, now: ctx.clock.sql() });
  const slots = gatings.flatMap((each) => each.slot ?? []);
  const projectIds = [...new Set(gated.map(({ candidate }) => candidate.projectId))];
  tx.afterCommit(() => {
    ctx.bus.emit('run.moved', { runs: moved });
    openGatesSoon(ctx, { slots, projectIds });
    ctx.bus.emit('work.due', { inMs: sweepAfterMs });
  });
}

interface Picked extends ClaimCandidate {
  laneId: number;
  isUnscoped: boolean;
  hasCeiling: boolean;
}

const candidateOf = (row: PickedRow): Picked => ({
  runId: row.runId,
  laneId: row.laneId,
  projectId: row.projectId,
  slot: row.slot ?? undefined,
  isUnscoped: row.isUnscoped,
  position: row.position,
  hasCeiling: row.hasCeiling,
});

const takenBy = (picked: Picked | undefined): Taken => ({
  slot: picked?.slot,
  hasCeiling: picked?.hasCeiling ?? false,
});

async function countedSlots(tx: Queryable, picked: readonly Picked[]): Promise<Map<string, Room>> {
  const lanes = new Map(picked.flatMap(({ slot, laneId }) => (slot === undefined ? [] : [[slot, laneId] as const])));
  if (lanes.size === 0) return new Map();
  const slots = [...lanes].map(([slot, laneId]) => ({ slot, laneId }));
  const rows = await countSlots(tx, { slots, pickedIds: picked.map((each) => each.runId) });
  return new Map(rows.map((row) => [row.slot, { ...roomOf(row), max: row.max ?? undefined, ready: readyOf(row) }]));
}

async function countedProjects(tx: Queryable, picked: readonly Picked[]): Promise<Map<string, Room>> {
  const projectIds = [...new Set(picked.flatMap((each) => (each.hasCeiling ? each.projectId : [])))];
  if (projectIds.length === 0) return new Map();
  const rows = await countCeilings(tx, { projectIds });
  return new Map(
    rows.map((row) => [row.projectId, { ...roomOf(row), max: row.max === 0 ? undefined : row.max, ready: [] }]),
  );
}

function roomOf({ inUse, firstPosition, firstRunId }: SlotRow | CeilingRow): Pick<Room, 'inUse' | 'first'> {
  const isAwaited = firstPosition !== null && firstRunId !== null;
  return { inUse: inUse, first: isAwaited ? { position: firstPosition, runId: firstRunId } : undefined };
}

const readyOf = ({ readyPositions, readyRunIds }: SlotRow): Room['ready'] =>
  (readyPositions ?? []).flatMap((position, at) => {
    const runId = readyRunIds?.[at];
    return runId === undefined ? [] : { position, runId };
  });

/**
 * The remaining demands for lanes that held all the runs asked for, while some of them had no free
 * slot. If the ceiling is reached, no further run of the lane can start.
 */
function leftOf(
  demands: readonly LimitedDemand[],
  picked: readonly Picked[],
  { leased, gated }: Granted<Picked>,
): LimitedDemand[] {
  const countOf = (runs: readonly Picked[], laneId: number): number =>
    runs.reduce((sum, each) => sum + (each.laneId === laneId ? 1 : 0), 0);
  const passedBy = new Set(gated.flatMap(({ candidate, gate }) => (gate === 'slot' ? candidate.laneId : [])));
  const stopped = new Set(gated.flatMap(({ candidate, gate }) => (gate === 'ceiling' ? candidate.laneId : [])));
  return demands.flatMap((demand) => {
    const { laneId, limit } = demand;
    if (!passedBy.has(laneId) || stopped.has(laneId) || countOf(picked, laneId) < limit) return [];
    return { ...demand, limit: limit - countOf(leased, laneId) };
  });
}

/**
 * The other ready runs of full slots. Gated together with the picked ones, they delay no run behind
 * them.
 */
async function behind(tx: Queryable, gated: Granted<Picked>['gated']): Promise<Gating[]> {
  const slots = new Set<string>();
  const unscoped = new Map<number, string>();
  for (const { candidate, gate } of gated) {
    if (gate !== 'slot' || candidate.slot === undefined) continue;
    slots.add(candidate.slot);
    if (candidate.isUnscoped) unscoped.set(candidate.laneId, candidate.slot);
  }
  const seen = new Set(gated.map(({ candidate }) => candidate.runId));
  const rows = await readyOfSlots(tx, {
    slots: [...slots],
    unscoped: [...unscoped].map(([laneId, slot]) => ({ laneId, slot })),
    limit: Math.ceil(maxBehind / (slots.size + unscoped.size)),
  });
  return rows.flatMap(({ runId, slot }) => (seen.has(runId) ? [] : { runId, gate: 'slot', slot }));
}

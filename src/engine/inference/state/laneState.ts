import type { EngineContext } from '../../context.ts';
import type { KeySource } from '../access.ts';
import { findLanes, type LaneRef } from './sql/findLanes.ts';
import { findRunLanes } from './sql/findRunLanes.ts';
import { type LaneRow, readLanes } from './sql/readLanes.ts';

/** The calls of one model under one key, as a project sees them. */
export interface LaneState {
  provider: string;
  model: string;
  keyFrom: KeySource;
  /** Calls of all projects that share the key. */
  inFlight: number;
  /** How many may be in flight now. */
  limit: number;
  /** Calls of the project that have not begun. */
  waiting: number;
  /** Until when the provider holds the lane; null: it does not. */
  heldUntil: Date | null;
  /** The provider's reason, until a call succeeds. */
  heldFor: string | null;
}

export const laneLimits = { lanes: 1000, counted: 1000 } as const;

/** The lanes of a project (4.9), the fullest first; at most 1000, each counted up to 1000. */
export async function readLaneStates(ctx: EngineContext, projectId: string): Promise<LaneState[]> {
  const limit = laneLimits.lanes;
  const lanes = await findLanes(ctx.db, { projectId, kind: 'provider', now: ctx.clock.sql(), limit });
  const rows = await readRows(ctx, projectId, lanes.slice(0, limit));
  return rows.map((row) => toState(ctx, row));
}

/** The lane for which each run waits. Runs without a call are omitted. */
export async function readRunLanes(
  ctx: EngineContext,
  { projectId, runIds }: { projectId: string; runIds: readonly string[] },
): Promise<Map<string, LaneState>> {
  const calls = await findRunLanes(ctx.db, { projectId, runIds });
  const states = await readStatesOf(ctx, { projectId, lanes: calls });
  return new Map(
    calls.flatMap(({ runId, laneId }) => {
      const state = states.get(laneId);
      return state ? [[runId, state] as const] : [];
    }),
  );
}

/** The states of lanes, by their ids. */
export async function readStatesOf(
  ctx: EngineContext,
  { projectId, lanes }: { projectId: string; lanes: readonly LaneRef[] },
): Promise<Map<string, LaneState>> {
  const distinct = new Map(lanes.map((lane) => [lane.laneId, lane]));
  const rows = await readRows(ctx, projectId, [...distinct.values()]);
  return new Map(rows.map((row) => [row.laneId, toState(ctx, row)]));
}

const readRows = async (ctx: EngineContext, projectId: string, lanes: readonly LaneRef[]): Promise<LaneRow[]> =>
  lanes.length === 0 ? [] : readLanes(ctx.db, { projectId, lanes, now: ctx.clock.sql(), counted: laneLimits.counted });

function toState(ctx: EngineContext, { isOwn, width, provider, model, ...figures }: LaneRow): LaneState {
  const { inferenceConcurrency } = ctx.settings.limits;
  const { inFlight, waiting, heldUntil, heldFor } = figures;
  return {
    provider,
    model,
    keyFrom: isOwn ? 'project' : 'settings',
    inFlight,
    limit: Math.min(width ?? inferenceConcurrency, inferenceConcurrency),
    waiting,
    heldUntil,
    heldFor,
  };
}

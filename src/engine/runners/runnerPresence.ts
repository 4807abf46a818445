import { Batcher } from '../batcher.ts';
import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { closeConnections } from './sql/closeConnections.ts';
import { drawConnectionNos } from './sql/drawConnectionNos.ts';
import { findHttpRunners, type HttpRunner } from './sql/findHttpRunners.ts';
import { findStrayConnections, type OpenConnection } from './sql/findStrayConnections.ts';
import { missRunners } from './sql/missRunners.ts';
import { touchConnections } from './sql/touchConnections.ts';

/** The most runners that one process can probe. */
const maxHttpRunners = 10_000;

const numbersOf = perEngine((ctx) => {
  const draw = async (asked: undefined[]): Promise<number[]> => {
    const rows = await drawConnectionNos(ctx.db, { count: asked.length });
    return rows.map(({ connectionNo }) => connectionNo);
  };
  return new Batcher({ flush: draw, maxItems: 1_000, maxInFlight: 4, maxQueued: 20_000 });
});

/**
 * Answers the number of a new connection, higher than all numbers that any process drew before this
 * call. Draw it before the runner may say hello. Then a connection that the runner opens later has
 * a higher number.
 */
export const nextConnectionNo = (ctx: EngineContext): Promise<number> => numbersOf(ctx).add(undefined);

/** The ids of connections that do not represent their runner any more. */
export interface StrayConnections {
  /** Displaced by a newer connection, or by a URL. */
  replaced: ReadonlySet<string>;
  /**
   * Missing in the registry: their dispatcher was found dead, or a newer connection came and left.
   */
  forgotten: ReadonlySet<string>;
}

/** Finds the open connections that do not represent their runner any more. */
export async function strayConnections(
  ctx: EngineContext,
  connections: readonly OpenConnection[],
): Promise<StrayConnections> {
  const rows = await findStrayConnections(ctx.db, { connections });
  const ids = (isReplaced: boolean): Set<string> =>
    new Set(rows.filter((row) => row.isReplaced === isReplaced).map((row) => row.connectionId));
  return { replaced: ids(true), forgotten: ids(false) };
}

/**
 * Records that these sockets are closed, so that their runners get no more work. Skips runners that
 * have another connection already.
 */
export async function disconnectRunners(ctx: EngineContext, connectionIds: readonly string[]): Promise<void> {
  if (connectionIds.length === 0) return;
  for (const { projectId } of await closeConnections(ctx.db, { connectionIds })) {
    ctx.bus.emit('registry.changed', { projectId });
  }
}

/**
 * Records that these runners, named by their connection or registration, were seen just now (2.12,
 * `lastSeenAt`), with their invokes in flight, where these are known. A runner that counted as gone
 * is announced: runs may wait for it.
 */
export async function touchRunners(
  ctx: EngineContext,
  connectionIds: readonly string[],
  inFlight: ReadonlyMap<string, number> = new Map(),
): Promise<void> {
  if (connectionIds.length === 0) return;
  const { runnerLivenessMs: livenessMs } = ctx.settings;
  const seen = await touchConnections(ctx.db, {
    connectionIds,
    inFlight: Object.fromEntries(inFlight),
    livenessMs,
    now: ctx.clock.sql(),
  });
  const projectIds = new Set(seen.flatMap(({ projectId, isBack }) => (isBack ? projectId : [])));
  for (const projectId of projectIds) ctx.bus.emit('registry.changed', { projectId });
}

/**
 * Records that these HTTP runners missed a probe. Answers those that are not live: they missed all
 * probes for the liveness window.
 */
export async function missedRunners(ctx: EngineContext, connectionIds: readonly string[]): Promise<string[]> {
  const { runnerLivenessMs: livenessMs } = ctx.settings;
  const rows = await missRunners(ctx.db, { connectionIds, livenessMs, now: ctx.clock.sql() });
  const left = rows.filter(({ isGone, wasLive }) => isGone && wasLive);
  for (const projectId of new Set(left.map((row) => row.projectId))) ctx.bus.emit('registry.changed', { projectId });
  return rows.filter(({ isGone }) => isGone).map((row) => row.connectionId);
}

/** The runners of all projects that registered a URL, last seen first; at most ten thousand. */
export function listHttpRunners(ctx: EngineContext): Promise<HttpRunner[]> {
  return findHttpRunners(ctx.db, { now: ctx.clock.sql(), limit: maxHttpRunners });
}

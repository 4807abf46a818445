import type { EngineContext } from '../context.ts';
import { closeConnections } from './sql/closeConnections.ts';
import { findHttpRunners, type HttpRunner } from './sql/findHttpRunners.ts';
import { touchConnections } from './sql/touchConnections.ts';

/** More than one process could probe. */
const maxHttpRunners = 10_000;

/**
 * These sockets are gone: their runners get no more work. Changes nothing where another connection
 * took their place.
 */
export async function disconnectRunners(ctx: EngineContext, connectionIds: readonly string[]): Promise<void> {
  if (connectionIds.length === 0) return;
  for (const { projectId } of await closeConnections(ctx.db, { connectionIds })) {
    ctx.bus.emit('registry.changed', { projectId });
  }
}

/**
 * These runners, named by their connection or registration, were seen just now (2.12,
 * `lastSeenAt`). Of one that counted as gone others are told: runs may wait for it.
 */
export async function touchRunners(ctx: EngineContext, connectionIds: readonly string[]): Promise<void> {
  if (connectionIds.length === 0) return;
  const { runnerLivenessMs: livenessMs } = ctx.settings;
  const seen = await touchConnections(ctx.db, { connectionIds, livenessMs, now: ctx.clock.sql() });
  const projectIds = new Set(seen.flatMap(({ projectId, isBack }) => (isBack ? projectId : [])));
  for (const projectId of projectIds) ctx.bus.emit('registry.changed', { projectId });
}

/**
 * Runners of all projects that registered a URL, those heard of last first; at most ten thousand.
 */
export function listHttpRunners(ctx: EngineContext): Promise<HttpRunner[]> {
  return findHttpRunners(ctx.db, { now: ctx.clock.sql(), limit: maxHttpRunners });
}

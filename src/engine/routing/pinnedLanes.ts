import type { EngineContext } from '../context.ts';
import type { LaneKey } from '../model/index.ts';
import { findPinnedLanes } from './sql/findPinnedLanes.ts';

/** The existing lanes of runs pinned to these runners (4.10, routing), by id. Creates no lane. */
export async function pinnedLanes(
  ctx: EngineContext,
  runners: readonly { projectId: string; app: string; runnerId: string }[],
): Promise<Map<number, LaneKey>> {
  if (runners.length === 0) return new Map();
  const rows = await findPinnedLanes(ctx.db, { runners });
  return new Map(rows.map(({ id, projectId, app, workflow, runner }) => [id, { projectId, app, workflow, runner }]));
}

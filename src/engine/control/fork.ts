import type { EngineContext } from '../context.ts';
import { suspended } from '../errors.ts';
import { newId } from '../ids.ts';
import type { RawJson } from '../json/index.ts';
import type { ProjectSnapshot } from '../registry/registry.ts';
import { onCurrentSnapshot } from '../runs/onCurrentSnapshot.ts';
import type { RunRow } from '../runs/reads/index.ts';
import { type Fork, forkRuns } from './sql/forkRuns.ts';

/** What a new run is made of: a finished one of the project. */
export type ForkSource = Pick<RunRow, 'id' | 'app' | 'workflow' | 'runner'>;

export interface ForkChange {
  /** Replaces the input. */
  input?: RawJson | undefined;
  /** Carry the settled steps before this index; with a single source only. */
  boundary?: number | undefined;
}

/**
 * Makes new runs out of finished ones (4.6), on the definitions in force now. Answers the new runs as they were made, all
 * `queued`; a source whose workflow is not registered any more has none. Throws `suspended`.
 */
export async function fork(
  ctx: EngineContext,
  projectId: string,
  sources: readonly ForkSource[],
  { input, boundary }: ForkChange = {},
): Promise<RunRow[]> {
  return onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    if (snapshot.suspended) throw suspended();
    const forks = await plan(ctx, snapshot, sources);
    if (forks.length === 0) return [];
    const now = ctx.clock.sql();
    const rows = await forkRuns(ctx.db, { projectId, registryVersion: snapshot.version, forks, input, boundary, now });
    if (rows.length === 0) return 'stale';
    announce(ctx, projectId, forks, rows);
    return rows;
  });
}

async function plan(ctx: EngineContext, snapshot: ProjectSnapshot, sources: readonly ForkSource[]): Promise<Fork[]> {
  const known = sources.flatMap((source) => {
    const definition = snapshot.workflow(source.app, source.workflow);
    return definition ? [{ source, version: definition.version }] : [];
  });
  const laneIds = await ctx.lanes.ensure(
    known.map(({ source: { app, workflow, runner } }) => ({
      projectId: snapshot.projectId,
      app,
      workflow,
      runner: runner ?? '',
    })),
  );
  return known.map(({ source, version }, position) => {
    const laneId = laneIds[position];
    if (laneId === undefined) throw new Error('a lane was not made');
    return { sourceId: source.id, runId: newId(), version, laneId };
  });
}

function announce(ctx: EngineContext, projectId: string, forks: readonly Fork[], rows: readonly RunRow[]): void {
  for (const { id: runId, app, workflow } of rows) {
    ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames: [] });
  }
  ctx.bus.emit('work.ready', { laneIds: [...new Set(forks.map((each) => each.laneId))] });
}

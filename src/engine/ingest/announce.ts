import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import { openGatesSoon } from '../flow/policies/concurrency/index.ts';
import type { RunStatus } from '../runs/index.ts';
import type { NewRun } from './newRun.ts';

/** A run that was recorded. */
export interface Recorded {
  run: Pick<NewRun, 'projectId' | 'runId' | 'app' | 'workflow' | 'laneId'>;
  /** As the rows keep it. */
  createdAt: Date;
  /** It was leased with its start: nobody needs to look for it. */
  isLeased?: boolean | undefined;
}

/**
 * Tells this process what runs were recorded: dispatchers have work, streams have news. Runs that
 * were lined up in `gatedSlots` look for room once more: runs before them may have ended meanwhile.
 */
export function announceRuns(
  ctx: EngineContext,
  recorded: readonly Recorded[],
  gatedSlots: readonly string[] = [],
): void {
  for (const each of recorded) tellStatuses(ctx, each);
  const laneIds = new Set(recorded.flatMap(({ run, isLeased }) => (isLeased ? [] : run.laneId)));
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
  openGatesSoon(ctx, { slots: gatedSlots, projectIds: [] });
}

/** Tells streams the statuses that a new run began with, the first frames of its journal. */
function tellStatuses(ctx: EngineContext, { run, createdAt: ts, isLeased }: Recorded): void {
  const { projectId, runId, app, workflow } = run;
  const statuses: readonly RunStatus[] = isLeased ? ['queued', 'running'] : ['queued'];
  const frames = statuses.map(
    (status, position): Frame => ({ seq: position + 1, kind: 'run_status', ts, payload: `{"status":"${status}"}` }),
  );
  ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
}

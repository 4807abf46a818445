import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import { openGatesSoon } from '../flow/policies/concurrency/index.ts';
import type { RunStatus } from '../runs/index.ts';
import { tallyOfWorkflow } from '../tally/index.ts';
import { statusPayload } from '../timeline/index.ts';
import type { NewRun } from './newRun.ts';

/** A recorded run. */
export interface Recorded {
  run: Pick<NewRun, 'projectId' | 'runId' | 'app' | 'workflow' | 'laneId' | 'maxDurationMs'> &
    Partial<Pick<NewRun, 'notBefore' | 'ttlMs'>>;
  /** The fields as in its rows. */
  createdAt: Date;
  /** The run was leased at its start, so it needs no claim. */
  isLeased?: boolean | undefined;
}

/**
 * Announces recorded runs to dispatchers and streams of this process. Earlier runs of `gatedSlots`
 * may have ended meanwhile, so free slots are looked up again.
 */
export function announceRuns(
  ctx: EngineContext,
  recorded: readonly Recorded[],
  gatedSlots: readonly string[] = [],
): void {
  for (const each of recorded) {
    count(ctx, each);
    emitStatuses(ctx, each);
  }
  const laneIds = new Set(recorded.flatMap(({ run, isLeased }) => (isLeased ? [] : run.laneId)));
  if (laneIds.size > 0) ctx.bus.emit('work.ready', { laneIds: [...laneIds] });
  for (const each of recorded) for (const inMs of timersOf(each)) ctx.bus.emit('work.due', { inMs });
  openGatesSoon(ctx, { slots: gatedSlots, projectIds: [] });
}

/** The ms until the start, the end and the expiry of a new run, as far as it has them. */
function timersOf({ run: { maxDurationMs, notBefore, ttlMs }, createdAt }: Recorded): number[] {
  const startsInMs = notBefore && Math.max(0, notBefore.getTime() - createdAt.getTime());
  const expiresInMs = ttlMs === undefined ? undefined : (startsInMs ?? 0) + ttlMs;
  return [startsInMs, maxDurationMs, expiresInMs].filter((each) => each !== undefined);
}

function count(ctx: EngineContext, { run, isLeased }: Recorded): void {
  const tally = tallyOfWorkflow(ctx, run);
  tally.started += 1;
  if (isLeased) tally.wait.observe(0);
}

/** Emits the first frames of a new run's journal. */
function emitStatuses(ctx: EngineContext, { run, createdAt: ts, isLeased }: Recorded): void {
  const { projectId, runId, app, workflow } = run;
  const statuses: readonly RunStatus[] = isLeased ? ['queued', 'running'] : ['queued'];
  const frames = statuses.map(
    (status, position): Frame => ({ seq: position + 1, kind: 'run_status', ts, payload: statusPayload(status) }),
  );
  ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
}

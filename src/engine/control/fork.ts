import { holdSpent, holdSteady, passStart, type Scene, StaleIntake, sceneOf, startWaves } from '../admission/index.ts';
import type { EngineContext } from '../context.ts';
import { suspended } from '../errors.ts';
import { tellStatuses } from '../ingest/index.ts';
import type { ProjectSnapshot } from '../model/index.ts';
import { onCurrentSnapshot, Refusal, refusal } from '../registry/index.ts';
import type { RunRow } from '../runs/index.ts';
import { type ForkCandidate, type ForkChange, type ForkSource, planForks } from './planForks.ts';
import { type Fork, forkRuns } from './sql/forkRuns.ts';

/** The new runs as they were made, all `queued`, and how many sources have none for want of a `singleton` place. */
export interface Forked {
  runs: RunRow[];
  skipped: number;
}

/**
 * Makes new runs out of finished ones (4.6), on the definitions in force now. Flow control gives them their places and start
 * times; nothing else holds them back. A source whose workflow is not registered any more has no new run. Throws `suspended`.
 */
export async function fork(
  ctx: EngineContext,
  projectId: string,
  sources: readonly ForkSource[],
  change: ForkChange = {},
): Promise<Forked> {
  return onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    if (snapshot.suspended) return refusal(suspended());
    const candidates = await planForks(ctx, snapshot, sources, change);
    const write = () => tryForks(ctx, snapshot, candidates, change);
    return candidates.length < sources.length ? new Refusal(write) : write();
  });
}

async function tryForks(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  candidates: readonly ForkCandidate[],
  change: ForkChange,
): Promise<Forked | 'stale'> {
  if (candidates.length === 0) return { runs: [], skipped: 0 };
  try {
    return await commitForks(ctx, snapshot, candidates, change);
  } catch (error) {
    if (error instanceof StaleIntake) return 'stale';
    throw error;
  }
}

async function commitForks(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  planned: readonly ForkCandidate[],
  change: ForkChange,
): Promise<Forked> {
  const { forks, runs, afterCommit } = await ctx.db.transaction(async (tx) => {
    const scene = sceneOf(ctx, tx);
    // Gates write what they decide into the candidates: each try has its own.
    const candidates = planned.map((each) => ({ ...each }));
    return { ...(await forkWithin(scene, snapshot, candidates, change)), afterCommit: scene.afterCommit };
  });
  announce(ctx, snapshot.projectId, forks, runs);
  for (const each of afterCommit) each();
  return { runs, skipped: planned.length - forks.length };
}

async function forkWithin(
  scene: Scene,
  { projectId, version: registryVersion }: ProjectSnapshot,
  candidates: readonly ForkCandidate[],
  { input, boundary }: ForkChange,
): Promise<{ forks: Fork[]; runs: RunRow[] }> {
  const made: { forks: Fork[]; runs: RunRow[] } = { forks: [], runs: [] };
  await holdSteady(scene, candidates);
  for (const wave of startWaves(candidates)) {
    await passStart(scene, wave);
    const forks = wave.flatMap(({ fork: planned, withheld, place, startAt }) =>
      withheld === undefined ? [{ ...planned, place, startAt }] : [],
    );
    if (forks.length === 0) continue;
    const { ctx, tx } = scene;
    const runs = await forkRuns(tx, { projectId, registryVersion, forks, input, boundary, now: ctx.clock.sql() });
    // Within one transaction either all waves are decided on the copy in force, or nothing is kept.
    if (runs.length === 0) throw new StaleIntake([projectId]);
    await holdSpent(scene, wave);
    made.forks.push(...forks);
    made.runs.push(...runs);
  }
  return made;
}

function announce(ctx: EngineContext, projectId: string, forks: readonly Fork[], rows: readonly RunRow[]): void {
  for (const { id: runId, app, workflow, createdAt: ts } of rows)
    tellStatuses(ctx, { run: { projectId, runId, app, workflow }, statuses: ['queued'], ts });
  ctx.bus.emit('work.ready', { laneIds: [...new Set(forks.map((each) => each.laneId))] });
}

import { admissionTransaction, StaleIntake, startWaves } from '../admission/index.ts';
import { recordStarts } from '../agents/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict } from '../errors.ts';
import type { AdmissionTransaction } from '../flow/index.ts';
import { holdSteady, passRecorded, passStart } from '../flow/policies/index.ts';
import { announceRuns } from '../ingest/index.ts';
import type { ProjectSnapshot } from '../model/index.ts';
import { suspensionOf } from '../projects/index.ts';
import { onCurrentSnapshot, Refusal, refusal } from '../registry/index.ts';
import type { RunRow } from '../runs/index.ts';
import { type ForkCandidate, type ForkChange, type ForkSource, planForks } from './planForks.ts';
import { type Fork, forkRuns } from './sql/forkRuns.ts';

/**
 * The new runs, all `queued`. `skipped` counts the sources whose `singleton` is held, without a
 * fork.
 */
export interface Forked {
  runs: RunRow[];
  skipped: number;
}

/**
 * Forks ended runs (4.6) by the definitions in force. Flow control decides their queue positions
 * and start times, and holds them back only by `singleton`. A source whose workflow is not
 * registered any more gets no fork. Throws `suspended`, and `conflict` for a lone fork whose
 * `singleton` is taken: then nothing is written.
 */
export async function fork(
  ctx: EngineContext,
  projectId: string,
  sources: readonly ForkSource[],
  change: ForkChange = {},
): Promise<Forked> {
  return onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    const suspension = suspensionOf(snapshot);
    if (suspension) return refusal(suspension);
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

function commitForks(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  planned: readonly ForkCandidate[],
  change: ForkChange,
): Promise<Forked> {
  return ctx.db.transaction((tx) => {
    // Gates write their decisions into the candidates, so each try has its own copies.
    const candidates = planned.map((each) => ({ ...each }));
    return forkWithin(admissionTransaction(ctx, tx), snapshot, candidates, change);
  });
}

async function forkWithin(
  admission: AdmissionTransaction,
  { projectId, version: registryVersion }: ProjectSnapshot,
  candidates: readonly ForkCandidate[],
  { input, boundary, isAlone }: ForkChange,
): Promise<Forked> {
  const forked: Forked = { runs: [], skipped: candidates.length };
  const { ctx, tx } = admission;
  await holdSteady(tx, candidates);
  for (const wave of startWaves(candidates)) {
    await passStart(admission, wave);
    const forks = wave.flatMap(({ fork: planned, withheld, singleton, startAt }) =>
      withheld === undefined ? [{ ...planned, singleton, startAt }] : [],
    );
    if (forks.length === 0) continue;
    const runs = await forkRuns(tx, { projectId, registryVersion, forks, input, boundary, now: ctx.clock.sql() });
    // All waves of a transaction are decided on the copy in force, or nothing is kept.
    if (runs.length === 0) throw new StaleIntake([projectId]);
    const { origin } = ctx;
    if (origin)
      await recordStarts(
        tx,
        runs.map(({ id: runId }) => ({ runId, key: origin.key })),
      );
    tx.afterCommit(() => announce(ctx, projectId, { forks, runs }));
    await passRecorded(admission, wave);
    forked.runs.push(...runs);
    forked.skipped -= forks.length;
  }
  if (isAlone && forked.skipped > 0) throw conflict('singletonTaken');
  const [first] = forked.runs;
  if (isAlone && first) ctx.origin?.once?.note({ runId: first.id });
  return forked;
}

interface Made {
  forks: readonly Fork[];
  runs: readonly RunRow[];
}

function announce(ctx: EngineContext, projectId: string, { forks, runs }: Made): void {
  const byRun = new Map(forks.map((each) => [each.runId, each]));
  const recorded = runs.flatMap(({ id: runId, app, workflow, createdAt }) => {
    const forked = byRun.get(runId);
    if (!forked) return [];
    const { laneId, maxDurationMs } = forked;
    return [{ run: { projectId, runId, app, workflow, laneId, maxDurationMs }, createdAt }];
  });
  announceRuns(ctx, recorded);
}

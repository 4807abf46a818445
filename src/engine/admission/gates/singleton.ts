import { drawConsequencesSoon, endRunsWithin } from '../../consequences/index.ts';
import { asking, type Gate, type Scene, type StartCandidate, type StartGate } from '../candidate.ts';
import { findHolders } from '../sql/findHolders.ts';
import { leavePlace } from '../sql/leavePlace.ts';
import { lockPlaces } from '../sql/lockPlaces.ts';

/*
 * 2.2 `singleton`: at most one unfinished run per key. A unique index over the queue holds it; a
 * run's row goes when it ends, and its place with it.
 */

/**
 * At the door: where one is under way and `skip` is set, nothing else of this start need be looked
 * at.
 */
export const skipTaken: Gate = async ({ tx }, candidates) => {
  const asks = asking(candidates, 'singleton').filter(({ policy }) => policy.mode === 'skip');
  if (asks.length === 0) return;
  const holders = await holdersOf(
    tx,
    asks.map(({ candidate }) => candidate),
  );
  for (const { candidate } of asks) skip(candidate, holders.get(placeOf(candidate)));
};

function skip(candidate: StartCandidate, holder: string | undefined): void {
  if (holder === undefined) return;
  candidate.withheld = 'skipped';
  candidate.existingRunId = holder;
}

/**
 * At the start: takes the place, under its lock. With `cancel` the run that has it is cancelled in
 * this transaction; with `skip` whoever comes second is skipped.
 */
export const takePlace: StartGate = async (scene, candidates) => {
  const asks = asking(candidates, 'singleton');
  if (asks.length === 0) return;
  await lockPlaces(scene.tx, { digests: asks.map(({ policy }) => policy.digest) });
  const holders = await holdersOf(
    scene.tx,
    asks.map(({ candidate }) => candidate),
  );
  const displaced: string[] = [];
  for (const { candidate, policy } of asks) {
    const holder = holders.get(placeOf(candidate));
    if (holder !== undefined && policy.mode === 'skip') {
      skip(candidate, holder);
      continue;
    }
    if (holder !== undefined) displaced.push(holder);
    holders.set(placeOf(candidate), candidate.run.runId);
    candidate.place = policy.digest;
  }
  await displace(scene, displaced);
};

async function holdersOf(tx: Scene['tx'], candidates: readonly StartCandidate[]): Promise<Map<string, string>> {
  const places = candidates.flatMap(({ run: { projectId }, gates: { singleton } }) =>
    singleton ? [{ projectId, digest: singleton.digest }] : [],
  );
  const rows = await findHolders(tx, { places });
  return new Map(rows.map((row) => [`${row.projectId}/${row.digest}`, row.runId]));
}

const placeOf = ({ run: { projectId }, gates: { singleton } }: StartCandidate): string =>
  `${projectId}/${singleton?.digest}`;

async function displace(scene: Scene, runIds: readonly string[]): Promise<void> {
  const { tx, own } = scene;
  if (own !== undefined && runIds.includes(own)) {
    await leavePlace(tx, { runId: own });
    scene.isOwnDisplaced = true;
  }
  await cancelDisplaced(
    scene,
    runIds.filter((runId) => runId !== own),
  );
}

/** Cancels runs that have lost their place to a newer one, in the scene's transaction. */
export async function cancelDisplaced({ ctx, tx }: Scene, runIds: readonly string[]): Promise<void> {
  if (runIds.length === 0) return;
  const ends = runIds.map((runId) => ({ runId, error: undefined }));
  const reason = 'a newer run of the same singleton has started';
  const ending = { status: 'cancelled', ends, projectId: null, onlyStranded: false, reason } as const;
  const ended = (await endRunsWithin(ctx, tx, ending)).map((row) => row.runId);
  tx.afterCommit(() => drawConsequencesSoon(ctx, ended));
}

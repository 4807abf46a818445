import type { DedupeKey, StartCandidate } from '../flow/index.ts';
import { contestedKeys } from '../flow/policies/index.ts';
import { type Intake, keyOfIntake } from '../ingest/index.ts';

/**
 * Splits intakes into waves. Two intakes that compete for a key or a singleton are in different
 * waves, because the outcome of the first decides about the second. Competing intakes keep their
 * order. Usually there is one wave. Returns indexes.
 */
export const inWaves = (intakes: readonly Intake[]): number[][] => split(intakes.map(contestedBy));

/** Like `inWaves`, for starts that have passed the first gates. */
export const startWaves = <Start extends StartCandidate>(candidates: readonly Start[]): Start[][] =>
  split(candidates.map(({ run, gates }) => contestedKeys(run, gates, 'start').map(nameIn(run.projectId)))).map((wave) =>
    wave.flatMap((position) => candidates[position] ?? []),
  );

function split(contested: readonly string[][]): number[][] {
  const waves: number[][] = [];
  const lastWave = new Map<string, number>();
  contested.forEach((keys, position) => {
    const wave = Math.max(-1, ...keys.map((key) => lastWave.get(key) ?? -1)) + 1;
    for (const key of keys) lastWave.set(key, wave);
    const members = waves[wave];
    if (members) members.push(position);
    else waves[wave] = [position];
  });
  return waves;
}

function contestedBy(intake: Intake): string[] {
  const { projectId, runs } = intake;
  const own = keyOfIntake(intake);
  const keys = runs.flatMap((run) => contestedKeys(run, run.gates ?? {}, 'door'));
  return [...(own ? [own] : []), ...keys].map(nameIn(projectId));
}

const nameIn =
  (projectId: string) =>
  ({ scope, key }: DedupeKey): string =>
    JSON.stringify([projectId, scope, key]);

import { type Intake, keyOfIntake } from '../ingest/index.ts';
import type { StartCandidate } from './candidate.ts';
import { idempotencyKey } from './gates/idempotency.ts';

/**
 * Splits intakes so that within a wave no two of them ask for the same key, or displace each other
 * from one `singleton` place: what becomes of the first decides about the second. Order is kept
 * among those that meet. Most often there is one wave. Answers positions.
 */
export const inWaves = (intakes: readonly Intake[]): number[][] => split(intakes.map(contestedBy));

/** The same for starts that are past the door. */
export const startWaves = <Start extends StartCandidate>(candidates: readonly Start[]): Start[][] =>
  split(
    candidates.map(({ run: { projectId }, gates: { singleton } }) =>
      singleton ? [`${projectId}/${singleton.digest}`] : [],
    ),
  ).map((wave) => wave.flatMap((position) => candidates[position] ?? []));

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
  const keys = runs.flatMap((run) => {
    const { idempotency, singleton } = run.gates ?? {};
    return [
      ...(idempotency && run.gates ? [idempotencyKey({ run, gates: run.gates })] : []),
      ...(singleton?.mode === 'cancel' ? [{ scope: 'place', key: singleton.digest }] : []),
    ];
  });
  return [...(own ? [own] : []), ...keys].map(({ scope, key }) => JSON.stringify([projectId, scope, key]));
}

import { holdStarts } from '../budgets/index.ts';
import {
  type Intake,
  ingestWithin,
  keyOfIntake,
  type NewRun,
  type Triggered,
  type WithheldStart,
} from '../ingest/index.ts';
import { asking, type Candidate, type Gate, type Scene, type StartCandidate } from './candidate.ts';
import { after, door, gather, start } from './pipeline.ts';
import { claimKeys } from './sql/claimKeys.ts';
import { holdSteady } from './steady.ts';
import { inWaves } from './waves.ts';

/**
 * What became of an intake.
 * - `created`: recorded. `intake` is what was written: without the runs that were withheld, and
 *   with start times. `withheld` says for each run that was planned why there is none; undefined
 *   where there is.
 * - `deduped`: its own key was seen before; `refId` is the event or run that came first.
 */
export type Admission =
  | {
      kind: 'created';
      intake: Intake;
      withheld: readonly (WithheldStart | undefined)[];
    }
  | { kind: 'deduped'; refId: string };

/** Thrown out of the transaction when something was decided on an old copy of the registry. */
export class StaleIntake extends Error {
  readonly projectIds: readonly string[];

  constructor(projectIds: readonly string[]) {
    super('an intake was decided on an old copy of the registry');
    this.projectIds = projectIds;
  }
}

/**
 * Takes starts through the gates and records what they let through, in the caller's transaction.
 * Throws `StaleIntake`, after which the transaction must not be committed.
 */
export async function admitWithin(scene: Scene, intakes: readonly Intake[]): Promise<Admission[]> {
  return inOrder(scene, intakes, [...door, ...gather, ...start, ...after]);
}

/** The same for starts that have passed the door already and leave a buffer. */
export async function startWithin(scene: Scene, intakes: readonly Intake[]): Promise<Admission[]> {
  return inOrder(scene, intakes, [...gather, ...start]);
}

async function inOrder(scene: Scene, intakes: readonly Intake[], gates: readonly Gate[]): Promise<Admission[]> {
  if (!intakes.some(isHeldUp)) return recordAll(scene, intakes);
  await holdSteady(
    scene,
    intakes.flatMap(({ runs }) => runs.map(candidateOf)),
  );
  const admissions: Admission[] = [];
  for (const wave of inWaves(intakes)) {
    const members = wave.flatMap((position) => intakes[position] ?? []);
    const results = await admitWave(scene, members, gates);
    results.forEach((result, position) => {
      const place = wave[position];
      if (place !== undefined) admissions[place] = result;
    });
  }
  return admissions;
}

const isHeldUp = ({ runs }: Intake): boolean => runs.some((run) => run.gates !== undefined);

/** What no policy can hold back needs no gates: one statement records it, repeats and all. */
async function recordAll({ ctx, tx }: Scene, intakes: readonly Intake[]): Promise<Admission[]> {
  const outcomes = await ingestWithin(ctx, tx, intakes);
  return intakes.map((intake, position) => {
    const outcome = outcomes[position];
    if (!outcome || outcome.kind === 'stale') throw new StaleIntake([intake.projectId]);
    return outcome.kind === 'deduped'
      ? outcome
      : { kind: outcome.kind, intake, withheld: intake.runs.map(() => undefined) };
  });
}

async function admitWave(scene: Scene, intakes: readonly Intake[], gates: readonly Gate[]): Promise<Admission[]> {
  const repeats = await claimOwnKeys(scene, intakes);
  const fresh = intakes.filter((_, position) => !repeats.has(position));
  const candidates = fresh.map(({ runs }) => runs.map(candidateOf));
  for (const gate of gates) await gate(scene, candidates.flat());
  const written = fresh.map((intake, position) => asAdmitted(intake, candidates[position] ?? []));
  const outcomes = await ingestWithin(scene.ctx, scene.tx, written);
  const stale = written.filter((_, position) => outcomes[position]?.kind !== 'created');
  if (stale.length > 0) throw new StaleIntake(stale.map((each) => each.projectId));
  await holdSpent(scene, candidates.flat());
  let next = 0;
  return intakes.map((_, position): Admission => {
    const holder = repeats.get(position);
    if (holder !== undefined) return { kind: 'deduped', refId: holder };
    const place = next++;
    const [intake, outcome] = [written[place], outcomes[place]];
    if (!intake || outcome?.kind !== 'created') throw new Error('an intake was left unanswered');
    const withheld = (candidates[place] ?? []).map(withheldOf);
    return { kind: 'created', intake, withheld };
  });
}

/**
 * Claims the keys whose repeat makes a whole intake void; answers the places of such repeats, with
 * what came first.
 */
async function claimOwnKeys({ ctx, tx }: Scene, intakes: readonly Intake[]): Promise<ReadonlyMap<number, string>> {
  const keyed = intakes.flatMap((intake, position) => {
    const key = intake.isClaimed ? undefined : keyOfIntake(intake);
    const refId = intake.event?.eventId ?? intake.runs[0]?.runId;
    if (!key || refId === undefined) return [];
    return [{ position, claim: { ...key, refId, projectId: intake.projectId, windowMs: ctx.settings.dedupeWindowMs } }];
  });
  if (keyed.length === 0) return new Map();
  const rows = await claimKeys(tx, { claims: keyed.map((each) => each.claim), now: ctx.clock.sql() });
  return new Map(
    rows.flatMap((row) => {
      const position = keyed[row.ord]?.position;
      return row.isClaimed || position === undefined ? [] : [[position, row.refId] as const];
    }),
  );
}

const candidateOf = (run: NewRun): Candidate => ({
  run,
  gates: run.gates ?? {},
  withheld: undefined,
  startAt: run.startAt,
  place: run.place,
});

/**
 * What is to be written: the runs that nothing withheld, and an event's record of what came of it.
 */
function asAdmitted(intake: Intake, candidates: readonly Candidate[]): Intake {
  const runs = candidates.flatMap(({ run, withheld, startAt, place }) =>
    withheld === undefined ? [{ ...run, gates: undefined, startAt, place }] : [],
  );
  const event = intake.event && { ...intake.event, triggered: toldOf(intake.event.triggered, candidates) };
  return { ...intake, event, runs, isClaimed: true };
}

const toldOf = (triggered: readonly Triggered[], candidates: readonly Candidate[]): Triggered[] =>
  triggered.map((entry, position) => {
    const { withheld, existingRunId } = candidates[position] ?? {};
    return withheld === undefined
      ? entry
      : { app: entry.app, workflow: entry.workflow, [withheld]: true, existingRunId };
  });

const withheldOf = ({ withheld: reason, existingRunId }: Candidate): WithheldStart | undefined =>
  reason && { reason, existingRunId };

/**
 * 2.2 `budget`: what has just been made of a workflow that has nothing left to spend, begins
 * paused.
 */
export async function holdSpent({ ctx, tx }: Scene, candidates: readonly StartCandidate[]): Promise<void> {
  const starts = asking(candidates, 'budget').map(({ candidate: { run } }) => run);
  await holdStarts(ctx, tx, starts);
}

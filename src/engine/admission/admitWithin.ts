import { type AdmissionTransaction, type Candidate, claimKeys } from '../flow/index.ts';
import { holdSteady, passAll, passFromBuffer, passRecorded } from '../flow/policies/index.ts';
import {
  type Intake,
  ingestWithin,
  keyOfIntake,
  type NewRun,
  type Triggered,
  type WithheldStart,
} from '../ingest/index.ts';
import { inWaves } from './waves.ts';

/**
 * The outcome of an intake.
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

/** Thrown out of a transaction that was decided on an old copy of the registry. */
export class StaleIntake extends Error {
  readonly projectIds: readonly string[];

  constructor(projectIds: readonly string[]) {
    super('an intake was decided on an old copy of the registry');
    this.projectIds = projectIds;
  }
}

/**
 * Takes starts through the gates and records the admitted ones, in the caller's transaction.
 * Throws `StaleIntake`, after which the transaction must not be committed.
 */
export async function admitWithin(admission: AdmissionTransaction, intakes: readonly Intake[]): Promise<Admission[]> {
  return inOrder(admission, intakes, passAll);
}

/** The same for starts that have passed the door and leave a buffer. */
export async function startWithin(admission: AdmissionTransaction, intakes: readonly Intake[]): Promise<Admission[]> {
  return inOrder(admission, intakes, passFromBuffer);
}

/** A start with all of the run that it would become. */
interface RunCandidate extends Candidate {
  readonly run: NewRun;
}

type Pass = (admission: AdmissionTransaction, candidates: readonly Candidate[]) => Promise<void>;

async function inOrder(admission: AdmissionTransaction, intakes: readonly Intake[], pass: Pass): Promise<Admission[]> {
  if (!intakes.some(isHeldUp)) return recordAll(admission, intakes);
  await holdSteady(
    admission.tx,
    intakes.flatMap(({ runs }) => runs.map(candidateOf)),
  );
  const admissions: Admission[] = [];
  for (const wave of inWaves(intakes)) {
    const members = wave.flatMap((position) => intakes[position] ?? []);
    const results = await admitWave(admission, members, pass);
    results.forEach((result, position) => {
      const index = wave[position];
      if (index !== undefined) admissions[index] = result;
    });
  }
  return admissions;
}

const isHeldUp = ({ runs }: Intake): boolean => runs.some((run) => run.gates !== undefined);

/** Starts without gates: one statement records them, and drops repeats. */
async function recordAll({ ctx, tx }: AdmissionTransaction, intakes: readonly Intake[]): Promise<Admission[]> {
  const outcomes = await ingestWithin(ctx, tx, intakes);
  return intakes.map((intake, position) => {
    const outcome = outcomes[position];
    if (!outcome || outcome.kind === 'stale') throw new StaleIntake([intake.projectId]);
    return outcome.kind === 'deduped'
      ? outcome
      : { kind: outcome.kind, intake, withheld: intake.runs.map(() => undefined) };
  });
}

async function admitWave(
  admission: AdmissionTransaction,
  intakes: readonly Intake[],
  pass: Pass,
): Promise<Admission[]> {
  const repeats = await claimOwnKeys(admission, intakes);
  const fresh = intakes.filter((_, position) => !repeats.has(position));
  const candidates = fresh.map(({ runs }) => runs.map(candidateOf));
  await pass(admission, candidates.flat());
  const written = fresh.map((intake, position) => asAdmitted(intake, candidates[position] ?? []));
  const outcomes = await ingestWithin(admission.ctx, admission.tx, written);
  const stale = written.filter((_, position) => outcomes[position]?.kind !== 'created');
  if (stale.length > 0) throw new StaleIntake(stale.map((each) => each.projectId));
  await passRecorded(admission, candidates.flat());
  let next = 0;
  return intakes.map((_, position): Admission => {
    const holder = repeats.get(position);
    if (holder !== undefined) return { kind: 'deduped', refId: holder };
    const index = next++;
    const [intake, outcome] = [written[index], outcomes[index]];
    if (!intake || outcome?.kind !== 'created') throw new Error('an intake was left unanswered');
    const withheld = (candidates[index] ?? []).map(withheldOf);
    return { kind: 'created', intake, withheld };
  });
}

/**
 * Claims the keys whose repeat drops a whole intake. Answers the indexes of such repeats, each with
 * the event or run that came first.
 */
async function claimOwnKeys(
  { ctx, tx }: AdmissionTransaction,
  intakes: readonly Intake[],
): Promise<ReadonlyMap<number, string>> {
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

const candidateOf = (run: NewRun): RunCandidate => ({
  run,
  gates: run.gates ?? {},
  withheld: undefined,
  startAt: run.startAt,
  singleton: run.singleton,
});

/**
 * The rows to write: the runs that nothing withheld, and the event with the outcome of each start.
 */
function asAdmitted(intake: Intake, candidates: readonly RunCandidate[]): Intake {
  const runs = candidates.flatMap(({ run, withheld, startAt, singleton }) =>
    withheld === undefined ? [{ ...run, gates: undefined, startAt, singleton }] : [],
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

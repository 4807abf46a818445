import type { EngineContext } from '../context.ts';
import {
  type AdmissionTransaction,
  type Candidate,
  claimKeys,
  type MovedKey,
  moveKeys,
  type Withheld,
} from '../flow/index.ts';
import { holdSteady, passAll, passFromBuffer, passRecorded } from '../flow/policies/index.ts';
import {
  type Intake,
  type IntakeOutcome,
  ingestWithin,
  keyOfIntake,
  type NewRun,
  type Triggered,
  type WithheldStart,
} from '../ingest/index.ts';
import { tallyOfWorkflow, type WithholdingGate } from '../tally/index.ts';
import { inWaves } from './waves.ts';

/**
 * The outcome of an intake.
 * - `created`: recorded. `intake` holds the written rows: without withheld runs, with start times.
 *   `withheld` has an entry per planned run: the reason, or undefined if the run exists.
 * - `deduped`: the intake's own key was claimed before. `refId` is the first event or run.
 */
export type Admission =
  | {
      kind: 'created';
      intake: Intake;
      withheld: readonly (WithheldStart | undefined)[];
    }
  | { kind: 'deduped'; refId: string };

/** Aborts a transaction whose decision used an old copy of the registry. */
export class StaleIntake extends Error {
  readonly projectIds: readonly string[];

  constructor(projectIds: readonly string[]) {
    super('an intake was decided on an old copy of the registry');
    this.projectIds = projectIds;
  }
}

/**
 * Takes starts through the gates and records the admitted ones, in the caller's transaction. If it
 * throws `StaleIntake`, the caller must roll the transaction back.
 */
export async function admitWithin(admission: AdmissionTransaction, intakes: readonly Intake[]): Promise<Admission[]> {
  const admissions = await inOrder(admission, intakes, passAll);
  // Without gates, the statement that records the intakes finds the repeats.
  if (intakes.some(isHeldUp)) admission.tx.afterCommit(() => countWithheld(admission.ctx, intakes, admissions));
  return admissions;
}

function countWithheld(ctx: EngineContext, intakes: readonly Intake[], admissions: readonly Admission[]): void {
  intakes.forEach(({ runs }, position) => {
    const admission = admissions[position];
    runs.forEach((run, index) => {
      const reason = admission?.kind === 'created' ? admission.withheld[index]?.reason : undefined;
      const gate = admission?.kind === 'deduped' ? 'dedupeId' : reason && gateOf[reason];
      if (gate) tallyOfWorkflow(ctx, run).withheld[gate] += 1;
    });
  });
}

const gateOf: Readonly<Record<Withheld, WithholdingGate>> = {
  skipped: 'singleton',
  dropped: 'rateLimit',
  debounced: 'debounce',
  batched: 'batch',
  deduped: 'idempotency',
};

/** Like `admitWithin`, for starts that leave a buffer. */
export async function startWithin(admission: AdmissionTransaction, intakes: readonly Intake[]): Promise<Admission[]> {
  return inOrder(admission, intakes, passFromBuffer);
}

/** A start with the complete run to create. */
interface RunCandidate extends Candidate {
  readonly run: NewRun;
}

type Pass = (admission: AdmissionTransaction, candidates: readonly Candidate[]) => Promise<void>;

async function inOrder(admission: AdmissionTransaction, intakes: readonly Intake[], pass: Pass): Promise<Admission[]> {
  if (!intakes.some(isHeldUp) && slicesOf(intakes).length <= 1) return recordAll(admission, intakes);
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

/** Whether gates decide about a start of the intake. */
export const isHeldUp = ({ runs }: Intake): boolean => runs.some((run) => run.gates !== undefined);

/** Records starts without gates in one statement. The statement drops duplicates. */
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

/**
 * Events and runs that one statement records. A statement with all rows of a large call would hold
 * the event loop while its parameters are encoded.
 */
const maxRowsAtOnce = 1_000;

/** Splits intakes, in order, so that each part has at most `maxRowsAtOnce` rows, or one intake. */
function slicesOf(intakes: readonly Intake[]): Intake[][] {
  const slices: Intake[][] = [];
  let rows = 0;
  for (const intake of intakes) {
    const more = intake.runs.length + (intake.event ? 1 : 0);
    const last = slices.at(-1);
    const fits = last && rows + more <= maxRowsAtOnce;
    if (fits) last.push(intake);
    else slices.push([intake]);
    rows = fits ? rows + more : more;
  }
  return slices;
}

/** The intakes' keys are claimed already, so the slices lock nothing that others await. */
async function ingestInSlices({ ctx, tx }: AdmissionTransaction, intakes: readonly Intake[]): Promise<IntakeOutcome[]> {
  const outcomes: IntakeOutcome[] = [];
  for (const slice of slicesOf(intakes)) outcomes.push(...(await ingestWithin(ctx, tx, slice)));
  return outcomes;
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
  await moveOwnKeys(admission, fresh, candidates);
  const written = fresh.map((intake, position) => asAdmitted(intake, candidates[position] ?? []));
  const outcomes = await ingestInSlices(admission, written);
  const stale = written.filter((_, position) => outcomes[position]?.kind !== 'created');
  if (stale.length > 0) throw new StaleIntake(stale.map((each) => each.projectId));
  await passRecorded(admission, candidates.flat());
  let next = 0;
  return intakes.map((_, position): Admission => {
    const holder = repeats.get(position);
    if (holder !== undefined) return { kind: 'deduped', refId: holder };
    const index = next++;
    const [intake, outcome] = [written[index], outcomes[index]];
    if (!intake || outcome?.kind !== 'created') throw new Error('an intake has no outcome');
    const withheld = (candidates[index] ?? []).map(withheldOf);
    return { kind: 'created', intake, withheld };
  });
}

/**
 * Claims the keys whose duplicate drops a whole intake. Returns the index of each duplicate, with
 * the first event or run.
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

/**
 * The key of a trigger whose start was withheld refers to the run that caused this, or to that of
 * the buffer that took the start: so a repeat can name it. Events keep their own record.
 */
async function moveOwnKeys(
  { tx }: AdmissionTransaction,
  intakes: readonly Intake[],
  candidates: readonly RunCandidate[][],
): Promise<void> {
  const keys = intakes.flatMap(({ projectId, event, runs: [run] }, position): MovedKey[] => {
    const { withheld, existingRunId, bufferId } = candidates[position]?.[0] ?? {};
    const runId = existingRunId ?? bufferId;
    if (event || !run?.dedupe || withheld === undefined || runId === undefined) return [];
    return [{ ...run.dedupe, projectId, refId: run.runId, runId }];
  });
  if (keys.length > 0) await moveKeys(tx, { keys });
}

const candidateOf = (run: NewRun): RunCandidate => ({
  run,
  gates: run.gates ?? {},
  withheld: undefined,
  notBefore: run.notBefore,
  startAt: run.startAt,
  singleton: run.singleton,
});

/** The rows to write: the admitted runs, and the event with the outcome of each start. */
function asAdmitted(intake: Intake, candidates: readonly RunCandidate[]): Intake {
  const runs = candidates.flatMap(({ run, withheld, startAt, owedTurn, singleton }) =>
    withheld === undefined ? [{ ...run, gates: undefined, startAt, owedTurn, singleton }] : [],
  );
  const event = intake.event && { ...intake.event, triggered: outcomesOf(intake.event.triggered, candidates) };
  return { ...intake, event, runs, isClaimed: true };
}

const outcomesOf = (triggered: readonly Triggered[], candidates: readonly Candidate[]): Triggered[] =>
  triggered.map((entry, position) => {
    const { withheld, existingRunId } = candidates[position] ?? {};
    return withheld === undefined
      ? entry
      : { app: entry.app, workflow: entry.workflow, [withheld]: true, existingRunId };
  });

const withheldOf = ({ withheld: reason, existingRunId }: Candidate): WithheldStart | undefined =>
  reason && { reason, existingRunId };

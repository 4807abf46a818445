import { type Admission, admit } from '../admission/index.ts';
import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import type { NewEvent, Triggered } from '../ingest/index.ts';
import { onCurrentSnapshot, refusal } from '../registry/index.ts';
import { hasAddressee, unregistered } from './addressee.ts';
import { parseSent, type SentInput } from './eventInput.ts';
import { incomingEvent } from './matchTriggers.ts';
import { planEvent } from './planEvent.ts';
import { type EventRow, toEventRow } from './reads/eventRow.ts';
import { selectEventRows } from './sql/selectEventData.ts';
import { deliverEvent } from './wakeWaiters.ts';

/** The answer of `POST /events` (4.3). */
export interface EventAnswer {
  /** The event's log id. A duplicate returns the id of the first event. */
  eventId: string;
  /** The run of the first `triggered` entry. */
  runId: string | undefined;
  /**
   * The run that caused a start to be withheld: the first one that `triggered` names. A duplicate
   * returns the run of the first event, or else the run that withheld its start.
   */
  existingRunId: string | undefined;
  /** The number of runs that this event woke. */
  woke: number;
  /** Whether an earlier event had the same `dedupeId`. A duplicate is dropped. */
  deduped: boolean;
  suspended: boolean;
  triggered: readonly Triggered[];
}

type Repeat = Extract<Admission, { kind: 'deduped' }> & { suspended: boolean };

/**
 * Records an event, starts the runs that it triggers and wakes its waiters (4.3, 6.1). The promise
 * resolves after all commits. Throws `invalid`.
 */
export async function sendEvent(
  ctx: EngineContext,
  { projectId, input }: { projectId: string; input: SentInput },
): Promise<EventAnswer> {
  const event = incomingEvent(ctx, parseSent(ctx, input));
  const admission = await onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    if (!hasAddressee(snapshot, event)) return refusal(invalid(unregistered));
    const { intake } = await planEvent(ctx, snapshot, event, { source: 'api', sourceRunId: undefined, depth: 0 });
    const answer = await admit(ctx, intake);
    if (answer.kind === 'stale') return 'stale';
    return answer.kind === 'deduped' ? { ...answer, suspended: snapshot.suspended } : answer;
  });
  if (admission.kind === 'deduped') {
    const firsts = await readFirsts(ctx, projectId, [admission.refId]);
    return repeated(admission, firsts.get(admission.refId));
  }
  const { event: recorded } = admission.intake;
  if (!recorded) throw new Error('an event was not recorded');
  return created(recorded, await deliverEvent(ctx, recorded));
}

/** The events by which others were dropped, by id. */
export async function readFirsts(
  { db }: EngineContext,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EventRow>> {
  const rows = ids.length > 0 ? await selectEventRows(db, { projectId, ids }) : [];
  return new Map(rows.map((row) => [row.id, toEventRow(row)]));
}

/** The answer to a repeat of the event `refId`. */
export const repeated = (
  { refId, suspended }: Pick<Repeat, 'refId' | 'suspended'>,
  first: EventRow | undefined,
): EventAnswer => ({
  eventId: refId,
  runId: undefined,
  existingRunId: first && (firstOf(first.triggered, 'runId') ?? firstOf(first.triggered, 'existingRunId')),
  woke: 0,
  deduped: true,
  suspended,
  triggered: [],
});

type Named = Pick<Triggered, 'runId' | 'existingRunId'>;

const firstOf = (triggered: readonly Named[], field: keyof Named): string | undefined =>
  triggered.find((each) => each[field] !== undefined)?.[field];

/** The answer to an event that was recorded. */
export const created = ({ eventId, triggered, suspended }: NewEvent, woke: number): EventAnswer => ({
  eventId,
  runId: triggered[0]?.runId,
  existingRunId: firstOf(triggered, 'existingRunId'),
  woke,
  deduped: false,
  suspended,
  triggered,
});

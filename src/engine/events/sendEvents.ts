import { type Admission, admitAsOne } from '../admission/index.ts';
import type { EngineContext } from '../context.ts';
import { HoldfastError, invalid } from '../errors.ts';
import type { Intake } from '../ingest/index.ts';
import type { ProjectSnapshot } from '../model/index.ts';
import { onCurrentSnapshot, type Refusal, refusal } from '../registry/index.ts';
import { hasAddressee, unregistered } from './addressee.ts';
import { deliverEvents } from './deliverEvents.ts';
import { parseSent, type SentInput } from './eventInput.ts';
import { type IncomingEvent, incomingEvent } from './matchTriggers.ts';
import { planEvent } from './planEvent.ts';
import { created, type EventAnswer, readFirsts, repeated } from './sendEvent.ts';

/** Events of one call. */
export const maxEventsPerCall = 1_000;

/**
 * Starts of one call: its events, each times the workflows that it triggers. A transaction of more
 * would hold its locks, and the memory of its rows, for many seconds.
 */
export const maxStartsPerCall = 10_000;

/**
 * Records many events in one transaction, or none of them. Each has the answer that `sendEvent`
 * would give if the events were sent one after the other. The promise resolves after all commits.
 * Throws `invalid`, which names the index of the bad event.
 */
export async function sendEvents(
  ctx: EngineContext,
  { projectId, inputs }: { projectId: string; inputs: readonly SentInput[] },
): Promise<EventAnswer[]> {
  if (inputs.length === 0) throw invalid('events must hold at least one event');
  if (inputs.length > maxEventsPerCall) throw invalid(`events may hold at most ${maxEventsPerCall} events`);
  const events = inputs.map((input, index) => incomingEvent(ctx, parseAt(ctx, input, index)));
  const { admissions, suspended } = await onCurrentSnapshot(ctx, projectId, async (snapshot) => {
    const intakes = await plan(ctx, snapshot, events);
    if (!Array.isArray(intakes)) return intakes;
    const admissions = await admitAsOne(ctx, intakes);
    return admissions === 'stale' ? admissions : { admissions, suspended: snapshot.suspended };
  });
  const recorded = admissions.flatMap((admission) => recordedBy(admission) ?? []);
  const woke = await deliverEvents(ctx.root ?? ctx, recorded);
  const wokeBy = new Map(recorded.map(({ eventId }, position) => [eventId, woke[position]]));
  const firsts = await readFirsts(ctx, projectId, [...new Set(admissions.flatMap(holderOf))]);
  return admissions.map((admission) => {
    if (admission.kind === 'deduped') return repeated({ ...admission, suspended }, firsts.get(admission.refId));
    const { event } = admission.intake;
    if (!event) throw new Error('an event was not recorded');
    return created(event, wokeBy.get(event.eventId) ?? 0);
  });
}

function parseAt(ctx: EngineContext, input: SentInput, index: number): ReturnType<typeof parseSent> {
  try {
    return parseSent(ctx, input);
  } catch (error) {
    throw error instanceof HoldfastError && error.kind === 'invalid' ? invalid(at(index, error.message)) : error;
  }
}

const at = (index: number, reason: string): string => `events[${index}]: ${reason}`;

/** The other projects get their turns of the event loop between the events. */
async function plan(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  events: readonly IncomingEvent[],
): Promise<Intake[] | Refusal<never>> {
  const { projectId } = snapshot;
  const stray = events.findIndex((event) => !hasAddressee(snapshot, event));
  if (stray >= 0) return refusal(invalid(at(stray, unregistered)));
  const intakes: Intake[] = [];
  let starts = 0;
  for (const event of events) {
    const turn = ctx.turns.loop.next(projectId);
    if (turn) await turn;
    const { intake, triggered } = await planEvent(ctx, snapshot, event, {
      source: 'api',
      sourceRunId: undefined,
      depth: 0,
    });
    starts += triggered.length;
    if (starts > maxStartsPerCall)
      return refusal(invalid(`events may start at most ${maxStartsPerCall} runs together: send them in several calls`));
    intakes.push(intake);
  }
  return intakes;
}

const recordedBy = (admission: Admission) => (admission.kind === 'created' ? admission.intake.event : undefined);

const holderOf = (admission: Admission): string[] => (admission.kind === 'deduped' ? [admission.refId] : []);

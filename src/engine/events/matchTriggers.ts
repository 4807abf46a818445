import { EventGuards } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { newId } from '../ids.ts';
import { type Definition, type Envelope, envelopeText, type ProjectSnapshot } from '../model/index.ts';
import type { Steps } from '../slices.ts';
import { isAddressed } from './addressee.ts';
import type { ParsedEvent } from './eventInput.ts';
import { logFault } from './guardFaults.ts';

/**
 * An event that is about to be recorded. It keeps its id and its verdicts if the plan is repeated.
 */
export interface IncomingEvent extends ParsedEvent {
  eventId: string;
  /** JSON text; undefined if it is empty. */
  envelope: string | undefined;
  guards: EventGuards;
}

export function incomingEvent(ctx: EngineContext, event: ParsedEvent, envelope: Envelope = {}): IncomingEvent {
  const eventId = newId();
  const { name, tags, session } = event;
  const ts = ctx.clock.now().toISOString();
  const { headers } = envelope;
  const guards = new EventGuards(() => ({ id: eventId, name, data: event.data?.parse(), ts, tags, session, headers }));
  return { ...event, eventId, envelope: envelopeText(envelope), guards };
}

/**
 * The workflows that an event starts, ordered by app and name (6.1). Guards that do not fit into
 * this turn of the event loop are evaluated in later ones. A pinned event starts only workflows
 * that its runner registered.
 */
export async function matchTriggers(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  event: IncomingEvent,
): Promise<Definition[]> {
  const matched = await ctx.slices.run(snapshot.projectId, matching(ctx, snapshot, event));
  return [...matched]
    .sort(([a], [b]) => a - b)
    .map(([, definition]) => definition)
    .filter((definition) => isAddressed(snapshot, event, definition));
}

function* matching(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  { name, targetApp, guards }: IncomingEvent,
): Steps<Map<number, Definition>> {
  const matched = new Map<number, Definition>();
  for (const { rank, definition, guard } of snapshot.listeners(name)) {
    const { app, name: workflow, isRetired } = definition;
    if (isRetired || matched.has(rank) || (targetApp !== undefined && app !== targetApp)) continue;
    if (!guard) {
      matched.set(rank, definition);
      continue;
    }
    yield;
    const onFault = (reason: string): void =>
      logFault(ctx, { projectId: snapshot.projectId, app, workflow, guard: guard.source, reason });
    if (guards.holds(guard, onFault)) matched.set(rank, definition);
  }
  return matched;
}

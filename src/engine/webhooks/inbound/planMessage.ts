import type { EngineContext } from '../../context.ts';
import { defaultApp, incomingEvent, planEvent } from '../../events/index.ts';
import { KeyedPayload } from '../../flow/index.ts';
import type { Intake } from '../../ingest/index.ts';
import type { RawJson } from '../../json/index.ts';
import type { Envelope, ProjectSnapshot } from '../../model/index.ts';
import type { SourceRow } from './sql/findSources.ts';

export interface MappedMessage {
  source: SourceRow;
  data: RawJson;
  envelope: Envelope;
}

/** The event that a message becomes by the mapping of its source. A repeated plan keeps its id. */
export const eventOf = (ctx: EngineContext, { source, data, envelope }: MappedMessage) => {
  const { eventName: name, app, targetApp } = source;
  const event = { name, app: app ?? defaultApp, targetApp: targetApp ?? undefined, data };
  const none = { runner: undefined, dedupeId: undefined, tags: undefined, session: undefined };
  return incomingEvent(ctx, { ...event, ...none }, envelope);
};

/**
 * The event and its runs, not yet written. A source with a `targetApp` that has no workflow for the
 * event is no mistake of the sender, so the event is recorded, and starts nothing.
 */
export async function planMessage(
  ctx: EngineContext,
  snapshot: ProjectSnapshot,
  message: MappedMessage & { event: ReturnType<typeof eventOf> },
): Promise<Intake> {
  const origin = { source: 'webhook', sourceRunId: undefined, depth: 0 } as const;
  const { intake } = await planEvent(ctx, snapshot, message.event, origin);
  return { ...intake, key: dedupeKeyOf(message) };
}

/** 4.8 `dedupeKey`: the value at its path; undefined if the message has none there. */
function dedupeKeyOf({ source: { id, dedupeKey }, data }: MappedMessage): Intake['key'] {
  const key = dedupeKey === null ? '' : new KeyedPayload(data).scopeAt(dedupeKey);
  return key === '' ? undefined : { scope: `source:${id}`, key };
}

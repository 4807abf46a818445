import { RawJson } from '../json/index.ts';
import { type GuardEvent, readEnvelope } from '../model/index.ts';

/** A recorded event, as guards and the memo of a wait need it. */
export interface HeardEvent {
  eventId: string;
  name: string;
  /** JSON text; null if the event has none. */
  data: string | null;
  tags: Record<string, string> | null;
  session: string | null;
  /** JSON text. */
  envelope: string | null;
  receivedAt: Date;
}

/** SQL: the columns of `HeardEvent`, of `event e`. */
export const heardColumns = 'e.id as event_id, e.name, e.data, e.tags, e.session, e.envelope, e.received_at';

/**
 * The result of `step.waitForEvent` (rulings on memo data). The payload is copied unchanged. An
 * event without one has an empty object, as in runs.
 */
export function memoOf({ eventId: id, name, data, receivedAt, envelope }: HeardEvent): string {
  const { headers } = readEnvelope(envelope);
  const more = headers ? `,"headers":${JSON.stringify(headers)}` : '';
  return `{"id":"${id}","name":${JSON.stringify(name)},"data":${data ?? '{}'},"ts":"${receivedAt.toISOString()}"${more}}`;
}

export const asGuardEvent = (event: HeardEvent): GuardEvent => ({
  id: event.eventId,
  name: event.name,
  data: event.data === null ? undefined : RawJson.trusted(event.data).parse(),
  ts: event.receivedAt.toISOString(),
  tags: event.tags ?? undefined,
  session: event.session ?? undefined,
  headers: readEnvelope(event.envelope).headers,
});

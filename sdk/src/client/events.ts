import { parsedData } from '../eventSchema.ts';
import { type EventData, type EventType, eventName, schemaOf } from '../eventType.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { FieldsOf } from '../knownFields.ts';
import { checkFields } from '../misuse.ts';
import type { Api } from './api.ts';
import { body } from './body.ts';
import type { SentEvent } from './records.ts';
import { isSentEvent } from './shapes.ts';

export type EventMessage<Sent = unknown> = { name: EventType<unknown, string, Sent> | string } & EventData<Sent> &
  EventAddress;

interface EventAddress {
  /**
   * The app that publishes the event. Does not limit which apps receive it. Default: the client's
   * app.
   */
  app?: string | undefined;
  /** A repeat of the same id within 24 hours is dropped. */
  dedupeId?: string | undefined;
  /** Start workflows of this app only. */
  targetApp?: string | undefined;
  /** Pin the runs that the event starts to this runner. */
  runner?: string | undefined;
  /** Tags for every run that the event starts. */
  tags?: Record<string, string> | undefined;
  /** Groups runs into a conversation. */
  session?: string | undefined;
}

const messageFields: FieldsOf<EventMessage> = {
  name: true,
  data: true,
  app: true,
  dedupeId: true,
  targetApp: true,
  runner: true,
  tags: true,
  session: true,
};

export class EventsClient {
  readonly #api: Api;
  readonly #app: string;

  constructor(api: Api, app: string) {
    this.#api = api;
    this.#app = app;
  }

  /**
   * Sends an event, which starts the workflows whose triggers match, and wakes the runs that wait
   * for it. Resolves when the service has recorded the event. Not retried; with a `dedupeId` you
   * can safely resend it. Rejects with an `EventSchemaError`, and sends nothing, if the data does
   * not fit the schema of its type.
   */
  async send<Sent = unknown>(event: EventMessage<Sent>): Promise<SentEvent> {
    checkFields(event, "events.send needs one event, such as { name: 'order.paid', data: … }");
    this.#api.warnOfUnknown('events.send', event, messageFields);
    const { name, data, app = this.#app, ...rest }: EventMessage = event;
    const named = eventName(name, 'the name given to events.send');
    const schema = schemaOf(name);
    if (schema !== undefined) parsedData(schema, named, data);
    const answer = await this.#api.post('/events', isSentEvent, {
      body: body('the data of the event', { app, ...rest, name: named }, { data }),
    });
    return asDeclared(answer.body);
  }
}

import { parsedData } from '../eventSchema.ts';
import { type EventData, type EventType, eventName, schemaOf } from '../eventType.ts';
import { asDeclared } from '../json/asDeclared.ts';
import type { FieldsOf } from '../knownFields.ts';
import { checkFields } from '../misuse.ts';
import type { LoggedEvent, SentEvent } from '../records/events.ts';
import type { Api } from './api.ts';
import { body } from './body.ts';
import { follow } from './follow.ts';
import { rowsOf } from './query.ts';
import { isList, isLoggedEvent, isSentEvent, isSentEvents } from './shapes.ts';
import { type StartTiming, timingFields, timingOf } from './startTiming.ts';

export type EventMessage<Sent = unknown> = { name: EventType<unknown, string, Sent> | string } & EventData<Sent> &
  EventAddress &
  StartTiming;

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

type Named = Pick<EventMessage, 'name'>;

/** Events, each with the data of its type, and without unknown fields. */
type ExactMessages<Events extends readonly Named[]> = {
  readonly [At in keyof Events]: MessageOf<Events[At]> & {
    readonly [Field in Exclude<keyof Events[At], keyof EventMessage>]: never;
  };
};

type MessageOf<Event> = Event extends { name: EventType<unknown, string, infer Sent> }
  ? EventMessage<Sent>
  : EventMessage;

const messageFields: FieldsOf<EventMessage> = {
  name: true,
  data: true,
  app: true,
  dedupeId: true,
  targetApp: true,
  runner: true,
  tags: true,
  session: true,
  ...timingFields,
};

/** Events of any app unless `app` is given: also of others than the client's. */
export interface EventFilter {
  /** Only events that this app published. */
  app?: string | undefined;
  /** Only events of this name. */
  name?: string | undefined;
  /** Events per request, 1 to 1000. The iteration covers all pages. */
  pageSize?: number | undefined;
}

const filterFields: FieldsOf<EventFilter> = { app: true, name: true, pageSize: true };

export interface EventStreamOptions extends Pick<EventFilter, 'app' | 'name'> {
  /** The id of an event: begin with those that followed it. Default: now. */
  after?: string | undefined;
  signal?: AbortSignal | undefined;
}

const streamFields: FieldsOf<EventStreamOptions> = { app: true, name: true, after: true, signal: true };

/** Before all events: a stream after it misses none. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

/** Sends events, and reads the log of all that were recorded. */
export class EventsClient {
  readonly #api: Api;
  readonly #app: string;

  constructor(api: Api, app: string) {
    this.#api = api;
    this.#app = app;
  }

  /**
   * Sends up to 1000 events, of together at most 1 MiB, and returns one answer for each, in their
   * order. All are recorded in one transaction, or none: a bad event rejects the whole call, and
   * the message names its index.
   */
  send<const Events extends readonly Named[]>(events: Events & ExactMessages<Events>): Promise<SentEvent[]>;
  /**
   * Sends an event, which starts the workflows whose triggers match, and wakes the runs that wait
   * for it. Resolves when the service has recorded the event. Not retried; with a `dedupeId` you
   * can safely resend it. Rejects with an `EventSchemaError`, and sends nothing, if the data does
   * not fit the schema of its type.
   */
  send<Sent = unknown>(event: EventMessage<Sent>): Promise<SentEvent>;
  async send(given: EventMessage | readonly EventMessage[]): Promise<SentEvent | SentEvent[]> {
    if (!isMany(given)) {
      const answer = await this.#api.post('/events', isSentEvent, { body: this.#bodyOf(given) });
      return asDeclared(answer.body);
    }
    if (given.length === 0) return [];
    const events = given.map((event, index) => this.#bodyOf(event, ` at events[${index}]`));
    const answer = await this.#api.post('/events/batch', isSentEvents, { body: { events } });
    return asDeclared<{ results: SentEvent[] }>(answer.body).results;
  }

  #bodyOf(event: EventMessage, at = ''): object {
    checkFields(event, `events.send needs one event${at}, such as { name: 'order.paid', data: … }`);
    this.#api.warnOfUnknown('events.send', event, messageFields);
    const { name, data, app = this.#app, startAt, delay, ttl, ...rest }: EventMessage = event;
    const timing = timingOf(`events.send${at}`, { startAt, delay, ttl });
    const named = eventName(name, `the name given to events.send${at}`);
    const schema = schemaOf(name);
    if (schema !== undefined) parsedData(schema, named, data);
    return body(`the data of the event${at}`, { app, ...rest, ...timing, name: named }, { data });
  }

  async get<Data = unknown>(id: string): Promise<LoggedEvent<Data>> {
    return asDeclared((await this.#api.get(`/events/${encodeURIComponent(id)}`, isLoggedEvent)).body);
  }

  /**
   * Iterates over the log, newest event first, and fetches pages as the loop advances.
   *
   * @example
   * ```ts
   * for await (const event of hf.events.list({ name: 'order.paid' })) console.log(event.id);
   * ```
   */
  list(filter: EventFilter = {}): AsyncGenerator<LoggedEvent, void, undefined> {
    this.#api.warnOfUnknown('events.list', filter, filterFields);
    const { pageSize, ...query } = filter;
    return rowsOf(this.#api, '/events', { ...query, limit: pageSize ?? 100 });
  }

  /**
   * Follows the events that are recorded from now on (or after `after`), each once, until the loop
   * ends or `signal` aborts. Reconnects and resumes after a lost connection.
   */
  stream(options: EventStreamOptions = {}): AsyncGenerator<LoggedEvent, void, undefined> {
    this.#api.warnOfUnknown('events.stream', options, streamFields);
    return this.#stream(options);
  }

  async *#stream({ after, signal, ...query }: EventStreamOptions): AsyncGenerator<LoggedEvent, void, undefined> {
    let lastEventId = after ?? (await this.#newest(signal));
    const begin = () => ({ query, lastEventId });
    for await (const { id, data } of follow(this.#api, { path: '/events/stream', begin, signal })) {
      lastEventId = id ?? lastEventId;
      yield asDeclared<LoggedEvent>(JSON.parse(data));
    }
  }

  /** A stream that begins after a known event resumes there, even if none has come yet. */
  async #newest(signal: AbortSignal | undefined): Promise<string> {
    const answer = await this.#api.get('/events', isList, { query: { limit: 1 }, signal });
    const [newest] = asDeclared<LoggedEvent[]>(answer.body);
    return newest?.id ?? beforeAll;
  }
}

const isMany = (given: EventMessage | readonly EventMessage[]): given is readonly EventMessage[] =>
  Array.isArray(given);

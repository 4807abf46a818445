import { type EventData, type EventType, eventName } from '../eventType.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields } from '../misuse.ts';
import type { Api } from './api.ts';
import { body } from './body.ts';
import type { SentEvent } from './records.ts';
import { isSentEvent } from './shapes.ts';

export type EventMessage<Data = unknown> = { name: EventType<Data> | string } & EventData<Data> & EventAddress;

interface EventAddress {
  /** Who publishes it. Default: the client's app. It does not narrow who receives it. */
  app?: string | undefined;
  /** A repeat of the same id within a day is dropped. */
  dedupeId?: string | undefined;
  /** Start only this app's workflows. */
  targetApp?: string | undefined;
  /** Pin the runs that it starts to one runner. */
  runner?: string | undefined;
  /** Go to every run that it starts. */
  tags?: Record<string, string> | undefined;
  /** Groups runs into a conversation. */
  session?: string | undefined;
}

export class EventsClient {
  readonly #api: Api;
  readonly #app: string;

  constructor(api: Api, app: string) {
    this.#api = api;
    this.#app = app;
  }

  /**
   * Sends an event: it starts the workflows that it triggers and wakes the runs that wait for it.
   * Resolves once it is recorded. With a `dedupeId` it may be sent again when the answer was lost.
   */
  async send<Data = unknown>(event: EventMessage<Data>): Promise<SentEvent> {
    checkFields(event, "events.send needs one event, such as { name: 'order.paid', data: … }");
    const { name, data, app = this.#app, ...rest }: EventMessage = event;
    const answer = await this.#api.post('/events', isSentEvent, {
      body: body(
        'the data of the event',
        { app, ...rest, name: eventName(name, 'the name given to events.send') },
        { data },
      ),
    });
    return asDeclared(answer.body);
  }
}

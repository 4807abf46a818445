import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, OperationTypeNode } from 'graphql';
import type { EngineContext } from '../engine/context.ts';
import { stringifyRaw } from '../engine/json/index.ts';
import type { KeyTurn, Principal } from '../engine/keys/index.ts';
import { logHidden } from '../engine/outages.ts';
import type { PresentedTicket } from '../engine/tickets/index.ts';
import { EventStream, type EventStreamOptions, formatEvent, type StreamPermit, whenOver } from '../http/index.ts';
import { createSchemaContext, type SchemaContext, subscribeWithin, unlessRefused } from '../schema/index.ts';
import type { Documents } from './documents.ts';
import { maskResult, readOperation } from './operation.ts';
import { readParams } from './requestBody.ts';
import { shareKeyOf } from './shareKey.ts';

/** The streams of the process, which all surfaces share. */
export interface EventStreams extends EventStreamOptions {
  /** Throws `invalid` if the key has too many streams, and `503` while the service stops. */
  admit(principal: Principal): StreamPermit;
}

export interface StreamRequest {
  request: IncomingMessage;
  response: ServerResponse;
  principal: Principal;
  /** The place of the request among those of its key. An open stream needs none. */
  turn: KeyTurn;
  body: string;
}

const streamRange = /^\s*text\/event-stream\s*(;|$)/i;

/** Whether a caller takes Server-Sent Events. */
export const acceptsStream = ({ headers }: IncomingMessage): boolean =>
  headers.accept?.split(',').some((range) => streamRange.test(range)) ?? false;

/** The ticket of a page that opens a stream without a key. An `EventSource` sends `GET`. */
export function ticketOf(request: IncomingMessage): PresentedTicket | undefined {
  const { method, url = '', headers } = request;
  if (method !== 'GET' || headers.authorization !== undefined || !acceptsStream(request)) return undefined;
  const { pathname: path, searchParams } = new URL(url, 'http://_');
  const ticket = searchParams.get('ticket');
  return ticket === null ? undefined : { ticket, path };
}

/**
 * Subscriptions as Server-Sent Events: the "distinct connections mode" of the protocol of
 * `graphql-sse`. Each answer is an event `next`, and `complete` is the last event.
 */
export class StreamedSubscriptions {
  readonly #engine: EngineContext;
  readonly #documents: Documents;
  readonly #streams: EventStreams;

  constructor(engine: EngineContext, documents: Documents, streams: EventStreams) {
    this.#engine = engine;
    this.#documents = documents;
    this.#streams = streams;
  }

  /**
   * Streams a subscription until it ends; resolves to false for any other operation, and for one
   * with mistakes, which has an answer without events.
   */
  async serve(sent: StreamRequest): Promise<boolean> {
    const { request, response, principal } = sent;
    const params = readParams(request, sent.body, this.#engine.settings.limits.jsonDepth);
    if (!params) return false;
    const context = createSchemaContext({ engine: this.#engine, principal, via: 'graphql' });
    whenOver(response, () => context.release());
    const operation = await readOperation(this.#documents, params, context);
    if (operation.errors || operation.kind !== OperationTypeNode.SUBSCRIPTION) {
      context.release();
      return false;
    }
    const permit = this.#streams.admit(principal);
    try {
      await this.#stream(context, operation.args, sent, permit);
    } finally {
      permit.release();
      context.release();
    }
    return true;
  }

  async #stream(
    context: SchemaContext,
    args: ExecutionArgs,
    { response, principal, turn }: StreamRequest,
    permit: StreamPermit,
  ): Promise<void> {
    const results = await subscribeWithin(context, args, shareKeyOf(args, principal));
    // From now on only the permit counts.
    turn.end();
    const stream = permit.hold(new EventStream(response, this.#streams));
    if (Symbol.asyncIterator in results) {
      stream.closed.then(() => results.return?.()).catch(() => undefined);
      await this.#pump(context, stream, results);
    } else if (await stream.write(this.#next(context, results))) complete(stream);
  }

  /** Asks for the next answer when the reader has room for it. */
  async #pump(
    context: SchemaContext,
    stream: EventStream,
    results: AsyncIterableIterator<ExecutionResult>,
  ): Promise<void> {
    try {
      for (let next = await results.next(); !next.done; next = await results.next())
        if (!(await stream.write(this.#next(context, next.value)))) return;
      complete(stream);
    } catch (error) {
      const wasOpen = stream.isOpen;
      stream.cutOff();
      // After the reader has gone, errors of the source do not matter.
      if (wasOpen) logHidden(this.#engine, error, 'a GraphQL subscription failed');
    } finally {
      await results.return?.();
    }
  }

  #next(context: SchemaContext, result: ExecutionResult): string {
    const shown = maskResult(this.#engine, unlessRefused(context, result));
    return formatEvent({ event: 'next', data: stringifyRaw(shown) });
  }
}

function complete(stream: EventStream): void {
  stream.offer(formatEvent({ event: 'complete', data: '' }));
  stream.end();
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { stringifyRaw } from '../engine/json/index.ts';
import { createSchemaContext } from '../schema/context.ts';
import { unwrap } from '../schema/errors.ts';
import { prepare, subscribeTo } from '../schema/execute.ts';
import { send } from './answer.ts';
import { EventStream, type EventStreamOptions } from './eventStream.ts';
import type { OpenStreams } from './openStreams.ts';
import { present, shapeAt, valueAt } from './present.ts';
import type { KeyedCall, StreamRoute } from './route.ts';
import { preflightAnswerer } from './runDocument.ts';
import { shapeOf } from './shape.ts';
import type { ServerSentEvent } from './sse.ts';

export interface Reader {
  request: IncomingMessage;
  response: ServerResponse;
}

/** Serves a stream until it ends, whoever ends it. Throws what went wrong, before or after the stream opened. */
export type Streamer = (call: KeyedCall, reader: Reader) => Promise<void>;

type Source = AsyncIterableIterator<ExecutionResult>;

/** Reads a route's subscription once; what it returns runs it. Throws on a document that does not fit the schema. */
export function streamer(
  schema: GraphQLSchema,
  route: StreamRoute,
  streams: OpenStreams,
  options: EventStreamOptions,
): Streamer {
  const prepared = prepare(route.document);
  const toEvent = eventMaker(schema, route);
  const preflight = route.preflight && preflightAnswerer(schema, route.preflight);

  return async (call, { request, response }) => {
    const lastEventId = request.headers['last-event-id'];
    const variables = route.variables(call, typeof lastEventId === 'string' && lastEventId ? lastEventId : undefined);
    const endsByItself = await preflight?.(call);
    if (request.method === 'HEAD') return send(response, { status: 200, text: '', type: 'text/event-stream' });
    const seat = streams.admit(call.principal);
    try {
      const source = await subscribeTo(prepared, variables, createSchemaContext({ ...call, via: 'rest' }));
      try {
        const first = endsByItself ? await source.next() : undefined;
        if (first?.done) return send(response, { status: 204 });
        const stream = new EventStream(response, options);
        stream.onClosed(() => void source.return?.().catch(() => undefined));
        seat.take(stream);
        await pump(stream, source, first, toEvent);
      } finally {
        await source.return?.();
      }
    } finally {
      seat.leave();
    }
  };
}

async function pump(
  stream: EventStream,
  source: Source,
  first: IteratorResult<ExecutionResult> | undefined,
  toEvent: (result: ExecutionResult) => ServerSentEvent,
): Promise<void> {
  try {
    for (let next = first ?? (await source.next()); !next.done; next = await source.next()) {
      if (!(await stream.write(toEvent(next.value)))) return;
    }
    stream.end();
  } catch (error) {
    const wasOpen = stream.isOpen;
    stream.cutOff();
    // What a source says after its reader has gone concerns nobody.
    if (wasOpen) throw error;
  }
}

function eventMaker(schema: GraphQLSchema, route: StreamRoute): (result: ExecutionResult) => ServerSentEvent {
  const shape = shapeAt(shapeOf(schema, route.document), [route.at]);
  const { event, id, constant } = route;
  return ({ data, errors }) => {
    const [error] = errors ?? [];
    if (error) throw unwrap(error).cause;
    const body = present(shape, valueAt(data, [route.at]));
    return {
      event: 'word' in event ? event.word : String(valueAt(body, [event.member])),
      id: id === undefined ? undefined : String(valueAt(body, [id])),
      data: stringifyRaw(constant && typeof body === 'object' ? { ...constant, ...body } : body),
    };
  };
}

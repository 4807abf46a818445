import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { isOver } from '../../http/index.ts';
import { type Answer, send } from '../declare/answer.ts';
import type { KeyedCall, StreamRoute } from '../declare/route.ts';
import { preflightAnswerer } from '../serve/runDocument.ts';
import type { Broadcasts } from './broadcast.ts';
import { EventStream, type EventStreamOptions } from './eventStream.ts';
import type { OpenStreams, StreamPermit } from './openStreams.ts';
import { streamHeaders } from './sse.ts';
import { type StreamSource, sourceOpener } from './streamSource.ts';

export interface Reader {
  request: IncomingMessage;
  response: ServerResponse;
}

export interface Streaming extends EventStreamOptions {
  streams: OpenStreams;
  broadcasts: Broadcasts;
}

/**
 * Serves a stream until it ends, whoever ends it. Rejects with what went wrong, before or after the
 * stream opened.
 */
export type Streamer = (call: KeyedCall, reader: Reader) => Promise<void>;

/** Makes a stream's route ready. Throws on a document that does not fit the schema. */
export function streamer(schema: GraphQLSchema, route: StreamRoute, streaming: Streaming): Streamer {
  const open = sourceOpener(schema, route);
  const preflight = route.preflight && preflightAnswerer(schema, route.preflight);

  return async (call, reader) => {
    const variables = route.variables(call, lastEventIdOf(reader.request));
    const endsByItself = (await preflight?.(call, reader.response)) ?? false;
    if (reader.request.method === 'HEAD') {
      const hasEnded = endsByItself && (await isEmpty(await open(call, variables)));
      return hasEnded ? send(reader.response, nothingLeft) : sendHead(reader.response);
    }
    const seat = streaming.streams.admit(call.principal);
    const stream = (): EventStream => seated(seat, new EventStream(reader.response, streaming));
    try {
      if (route.isShared?.(variables)) {
        const key = JSON.stringify([route.path, call.principal.projectId, variables]);
        await follow(streaming.broadcasts, key, () => open(call, variables), stream);
      } else await serve(await open(call, variables), endsByItself, reader.response, stream);
    } finally {
      seat.leave();
    }
  };
}

function seated(seat: StreamPermit, stream: EventStream): EventStream {
  seat.take(stream);
  return stream;
}

function lastEventIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The head of a stream, and no stream. */
function sendHead(response: ServerResponse): void {
  if (!isOver(response)) response.writeHead(200, streamHeaders).end();
}

const nothingLeft: Answer = { status: 204 };

/** Whether a source that ends by itself has nothing to tell. */
async function isEmpty(source: StreamSource): Promise<boolean> {
  try {
    return (await source.next()).done === true;
  } finally {
    await source.return();
  }
}

/** Follows a source that others may follow too. */
async function follow(
  broadcasts: Broadcasts,
  key: string,
  open: () => Promise<StreamSource>,
  createStream: () => EventStream,
): Promise<void> {
  const membership = await broadcasts.join(key, open);
  try {
    const stream = createStream();
    membership.add(stream);
    await stream.closed;
  } finally {
    membership.leave();
  }
}

/** Reads a source of its own, as fast as the reader takes it. */
async function serve(
  source: StreamSource,
  endsByItself: boolean,
  response: ServerResponse,
  createStream: () => EventStream,
): Promise<void> {
  try {
    // Of a run that is over, nothing may be left: that is no stream, but an answer (rulings 7).
    const first = endsByItself ? await source.next() : undefined;
    if (first?.done) return send(response, nothingLeft);
    const stream = createStream();
    stream.closed.then(() => source.return()).catch(() => undefined);
    await pump(stream, source, first);
  } finally {
    await source.return();
  }
}

async function pump(
  stream: EventStream,
  source: StreamSource,
  first: IteratorResult<string, undefined> | undefined,
): Promise<void> {
  try {
    for (let next = first ?? (await source.next()); !next.done; next = await source.next())
      if (!(await stream.write(next.value))) return;
    stream.end();
  } catch (error) {
    const wasOpen = stream.isOpen;
    stream.cutOff();
    // What a source says after its reader has gone concerns nobody.
    if (wasOpen) throw error;
  }
}

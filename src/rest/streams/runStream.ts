import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { IsNewEvent } from '../../engine/event-tail/index.ts';
import { EventStream, type EventStreamOptions, isOver, streamHeaders } from '../../http/index.ts';
import { type Answer, send } from '../declare/answer.ts';
import type { Query } from '../declare/query.ts';
import type { KeyedCall, StreamRoute } from '../declare/route.ts';
import { preflightAnswerer } from '../serve/runDocument.ts';
import type { Broadcasts, Membership } from './broadcast.ts';
import type { OpenStreams } from './openStreams.ts';
import { type StreamMessage, type StreamSource, sourceOpener } from './streamSource.ts';

export interface Reader {
  request: IncomingMessage;
  response: ServerResponse;
}

export interface Streaming extends EventStreamOptions {
  streams: OpenStreams;
  broadcasts: Broadcasts;
}

/** Serves a stream until it ends. Rejects with a failure before or after the stream opened. */
export type Streamer = (call: KeyedCall, reader: Reader) => Promise<void>;

/** Prepares a stream's route. Throws if a document does not fit the schema. */
export function streamer(schema: GraphQLSchema, route: StreamRoute, streaming: Streaming): Streamer {
  const open = sourceOpener(schema, route);
  const preflight = route.preflight && preflightAnswerer(schema, route.preflight);

  return async (call, reader) => {
    const variables = route.variables(call, route.lastEventId && lastEventIdOf(reader.request, call.query));
    const endsByItself = (await preflight?.(call, reader.response)) ?? false;
    if (reader.request.method === 'HEAD') {
      const hasEnded = endsByItself && (await isEmpty(await open(call, variables)));
      return hasEnded ? send(reader.response, noFrames) : sendHead(reader.response);
    }
    const permit = streaming.streams.admit(call.principal);
    const stream = (): EventStream => {
      // From now on only the permit counts.
      call.turn.end();
      return permit.hold(new EventStream(reader.response, streaming));
    };
    try {
      if (route.isShared?.(variables)) {
        const { projectId, kind } = call.principal;
        // A public key is shown less.
        const key = JSON.stringify([route.path, projectId, kind === 'public', variables]);
        const isNewEvent = await route.begin?.(call);
        const membership = await streaming.broadcasts.join(key, () => open(call, variables));
        await follow(membership, isNewEvent, stream);
      } else await serve(await open(call, variables), endsByItself, reader.response, stream);
    } finally {
      permit.release();
    }
  };
}

function lastEventIdOf({ headers }: IncomingMessage, query: Query): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : query.one('lastEventId') || undefined;
}

/** Sends the head of a stream without a body, for `HEAD`. */
function sendHead(response: ServerResponse): void {
  if (!isOver(response)) response.writeHead(200, streamHeaders).end();
}

const noFrames: Answer = { status: 204 };

/** Whether a finite source has no events. */
async function isEmpty(source: StreamSource): Promise<boolean> {
  try {
    return (await source.next()).done === true;
  } finally {
    await source.return();
  }
}

/** Follows a source that may have other readers. */
async function follow(
  membership: Membership,
  isNewEvent: IsNewEvent | undefined,
  createStream: () => EventStream,
): Promise<void> {
  try {
    const stream = createStream();
    membership.add(stream, isNewEvent);
    await stream.closed;
  } finally {
    membership.leave();
  }
}

/** Reads a source of its own, at the reader's speed. */
async function serve(
  source: StreamSource,
  endsByItself: boolean,
  response: ServerResponse,
  createStream: () => EventStream,
): Promise<void> {
  try {
    // A finished run may have no frames left. The answer is then `204` (rulings 7).
    const first = endsByItself ? await source.next() : undefined;
    if (first?.done) return send(response, noFrames);
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
  first: IteratorResult<StreamMessage, undefined> | undefined,
): Promise<void> {
  try {
    for (let next = first ?? (await source.next()); !next.done; next = await source.next())
      if (!(await stream.write(next.value.text))) return;
    stream.end();
  } catch (error) {
    const wasOpen = stream.isOpen;
    stream.cutOff();
    // After the reader has gone, errors of the source do not matter.
    if (wasOpen) throw error;
  }
}

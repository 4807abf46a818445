import { backoffMs, pause } from '../backoff.ts';
import { type Api, type CallOptions, longRetries } from './api.ts';
import { apiError, isPassing, notOurs } from './failures.ts';
import { readEvents, type ServerSentEvent } from './sse.ts';

export interface Following {
  readonly path: string;
  /** Where a connection begins. Asked before each one, so a reconnect resumes. */
  readonly begin: () => Pick<CallOptions, 'query' | 'lastEventId'>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The events of a stream, over as many connections as it takes. Ends when the service says that
 * nothing is left. Gives up after several refused connections in a row, but retries silent ones
 * without limit. Throws the final failure, or the reason of `signal`.
 */
export async function* follow(
  api: Api,
  { path, begin, signal }: Following,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let refusals = 0;
  for (let idle = 0; ; idle += 1) {
    try {
      const body = await connect(api, path, { ...begin(), signal });
      if (body === undefined) return;
      refusals = 0;
      for await (const event of readEvents(body)) {
        idle = 0;
        yield event;
      }
    } catch (cause) {
      signal?.throwIfAborted();
      refusals += 1;
      // `fetch` throws a `TypeError` when a stream breaks.
      const isLost = cause instanceof TypeError || isPassing(cause);
      if (!isLost || refusals >= longRetries.attempts) throw cause;
    }
    await pause(backoffMs(idle, longRetries.backoff), signal);
    signal?.throwIfAborted();
  }
}

/** Undefined if nothing is left. */
async function connect(api: Api, path: string, options: CallOptions): Promise<ReadableStream | undefined> {
  const response = await api.stream(path, options);
  if (response.status === 204) return undefined;
  if (!response.ok || response.body === null) throw apiError(response, await response.text());
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) notOurs(response, 'no stream of events');
  return response.body;
}

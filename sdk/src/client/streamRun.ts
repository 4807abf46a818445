import { backoffMs, pause } from '../backoff.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { type Api, longRetries } from './api.ts';
import { apiError, isPassing, notOurs } from './failures.ts';
import { isFinal, type RunFrame } from './records.ts';
import { readEvents } from './sse.ts';

export interface StreamOptions {
  readonly from?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * See `RunsClient.stream`. Gives up after several refused connections in a row, but retries silent
 * ones without limit. Throws the final failure, or the reason of `signal`.
 */
export async function* streamRun(
  api: Api,
  id: string,
  options: StreamOptions,
): AsyncGenerator<RunFrame, void, undefined> {
  const { signal } = options;
  let from = options.from;
  let refusals = 0;
  for (let idle = 0; ; idle += 1) {
    try {
      const body = await connect(api, id, { from, signal });
      if (body === undefined) return;
      refusals = 0;
      for await (const { data } of readEvents(body)) {
        const frame = asDeclared<RunFrame>(JSON.parse(data));
        idle = 0;
        from = frame.seq;
        yield frame;
        if (frame.kind === 'run_status' && isFinal(frame.status)) return;
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

/** Undefined if the run has finished and no frame is left. */
async function connect(api: Api, id: string, { from, signal }: StreamOptions): Promise<ReadableStream | undefined> {
  const path = `/runs/${encodeURIComponent(id)}/stream`;
  const response = await api.stream(path, { query: { from }, signal });
  if (response.status === 204) return undefined;
  if (!response.ok || response.body === null) throw apiError(response, await response.text());
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) notOurs(response, 'no stream of events');
  return response.body;
}

import { asDeclared } from '../json/asDeclared.ts';
import { isFinal, type RunFrame } from '../records/runs.ts';
import type { Api } from './api.ts';
import { follow } from './follow.ts';

export interface StreamOptions {
  readonly from?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** See `RunsClient.stream`. */
export async function* streamRun(
  api: Api,
  id: string,
  options: StreamOptions,
): AsyncGenerator<RunFrame, void, undefined> {
  const { signal } = options;
  let { from } = options;
  const path = `/runs/${encodeURIComponent(id)}/stream`;
  for await (const { data } of follow(api, { path, begin: () => ({ query: { from } }), signal })) {
    const frame = asDeclared<RunFrame>(JSON.parse(data));
    from = frame.seq;
    yield frame;
    if (frame.kind === 'run_status' && isFinal(frame.status)) return;
  }
}

import { pause } from '../backoff.ts';
import { WaitTimeoutError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkMs, Deadline } from '../timer.ts';
import { type Api, longPatience } from './api.ts';
import { body } from './body.ts';
import {
  type FinishedRun,
  type ForkedRun,
  isFinal,
  type Run,
  type RunFrame,
  type RunId,
  type RunLogLine,
  type RunStatus,
  type RunStep,
  type RunSummary,
} from './records.ts';
import { isList, isRun } from './shapes.ts';
import { streamRun } from './streamRun.ts';

export interface RunFilter {
  app?: string | undefined;
  workflow?: string | undefined;
  /** One status, or `active` for all that are queued, running or waiting. */
  status?: RunStatus | 'active' | 'all' | undefined;
  runType?: 'event' | 'cron' | 'manual' | undefined;
  eventId?: string | undefined;
  replayOf?: string | undefined;
  parentRunId?: string | undefined;
  session?: string | undefined;
  /** All of them must be on the run. */
  tags?: Record<string, string> | undefined;
  /** Part of a workflow name, a run id or an app. */
  q?: string | undefined;
  /** Look for `q` in inputs, results and errors too. */
  deep?: boolean | undefined;
  since?: Date | string | undefined;
  sort?: 'started' | 'workflow' | 'status' | 'app' | 'duration' | undefined;
  dir?: 'asc' | 'desc' | undefined;
  /** Runs per request, 1 to 200. The iteration goes on over all of them. */
  pageSize?: number | undefined;
}

/** How long the service is asked to hold its answer; below the time-out of calls. */
const waitMs = 20_000;
const earlyPauseMs = 250;

export class RunsClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async get<Result = unknown>(id: RunId<Result>): Promise<Run<Result>> {
    return withResult(asDeclared((await this.#api.get(`/runs/${encodeURIComponent(id)}`, isRun)).body));
  }

  /**
   * Runs, newest first unless said otherwise, fetched page by page as the loop goes on.
   *
   * @example for await (const run of hf.runs.list({ status: 'failed' })) console.log(run.id);
   */
  async *list(filter: RunFilter = {}): AsyncGenerator<RunSummary, void, undefined> {
    const query = listQuery(filter);
    for (let cursor: string | undefined; ; ) {
      const page = await this.#api.get('/runs', isList, { query: { ...query, cursor } });
      yield* asDeclared<RunSummary[]>(page.body);
      cursor = page.headers.get('x-next-cursor') ?? undefined;
      if (cursor === undefined) return;
    }
  }

  /** One row per step and attempt, in order. */
  async steps(id: string): Promise<RunStep[]> {
    return asDeclared((await this.#api.get(`/runs/${encodeURIComponent(id)}/steps`, isList)).body);
  }

  /** Lines, oldest first, after the one numbered `from`, fetched page by page. */
  async *logs(id: string, options: { from?: number } = {}): AsyncGenerator<RunLogLine, void, undefined> {
    const limit = 1000;
    for (let from = options.from; ; ) {
      const path = `/runs/${encodeURIComponent(id)}/logs`;
      const page = await this.#api.get(path, isList, { query: { from, limit } });
      const lines = asDeclared<RunLogLine[]>(page.body);
      yield* lines;
      const next = page.headers.get('x-next-from');
      // An older service says nothing, and ends no page early.
      if (next === null && lines.length < limit) return;
      from = next === null ? lines.at(-1)?.seq : Number(next);
    }
  }

  /**
   * The run's frames from the first (or after `from`), then live, to the last one of a finished
   * run. A lost connection is taken up where it broke off.
   */
  stream(
    id: string,
    options: { from?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<RunFrame, void, undefined> {
    return streamRun(this.#api, id, options);
  }

  /**
   * Waits until the run has finished, however it ended. Throws `WaitTimeoutError` after
   * `timeoutMs`, which may be any time. A service that restarts meanwhile is asked again, for as
   * long as a stream would be taken up.
   */
  async wait<Result = unknown>(
    id: RunId<Result>,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<FinishedRun<Result>> {
    using deadline = new Deadline(checkMs('timeoutMs', options.timeoutMs ?? Number.POSITIVE_INFINITY));
    const signal = AbortSignal.any([options.signal, deadline.signal].flatMap((each) => each ?? []));
    const path = `/runs/${encodeURIComponent(id)}`;
    try {
      for (;;) {
        const askedAt = performance.now();
        const options = { query: { wait: waitMs }, signal, patience: longPatience };
        const answer = await this.#api.get(path, isRun, options);
        const run = withResult<Result>(asDeclared(answer.body));
        if (isFinished(run)) return run;
        // A service that is about to stop answers early.
        if (performance.now() - askedAt < waitMs / 2) await pause(earlyPauseMs, signal);
      }
    } catch (cause) {
      if (!deadline.signal.aborted || options.signal?.aborted === true) throw cause;
      throw new WaitTimeoutError(`run ${id} did not finish within ${options.timeoutMs} ms`, { cause });
    }
  }

  /** Cancels the run, and returns it. */
  async cancel(id: string): Promise<Run> {
    return this.#control(id, 'cancel');
  }

  /**
   * Stops the run at its next step boundary, and returns it: `paused`, or still `running` with
   * `pausedBy` set.
   */
  async pause(id: string): Promise<Run> {
    return this.#control(id, 'pause');
  }

  /** Lets a paused run go on, and returns it. */
  async resume(id: string): Promise<Run> {
    return this.#control(id, 'resume');
  }

  /**
   * Runs a finished run's workflow again as a new run, from the start, with the same input or
   * another one.
   */
  async replay<Result = unknown>(id: RunId<Result>, options: { input?: unknown } = {}): Promise<ForkedRun<Result>> {
    const { input } = options;
    return this.#control(id, 'replay', body('the input of the new run', {}, { input }));
  }

  /**
   * The same from a step on: what was done before it is taken over, and it and all that follows is
   * done again.
   */
  async retryFromStep<Result = unknown>(id: RunId<Result>, step: string): Promise<ForkedRun<Result>> {
    return this.#control(id, 'retry-from-step', { step });
  }

  async #control<Answer>(id: string, action: string, content?: object): Promise<Answer> {
    const answer = await this.#api.post(`/runs/${encodeURIComponent(id)}/${action}`, isRun, { body: content });
    return asDeclared(answer.body);
  }
}

/**
 * Of a handler that returned nothing the service keeps no result. Its type says `null`, as for a
 * step, and so it reads here.
 */
function withResult<Result>(run: Run<Result>): Run<Result> {
  return run.status === 'succeeded' && !('result' in run) ? { ...run, result: asDeclared<Result>(null) } : run;
}

function isFinished<Result>(run: Run<Result>): run is FinishedRun<Result> {
  return isFinal(run.status);
}

function listQuery(filter: RunFilter): Record<string, string | number | undefined> {
  const { tags, deep, since, pageSize, ...rest } = filter;
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(tags ?? {}).map(([key, value]) => [`tag.${key}`, value])),
    ...(deep === true && { deep: 1 }),
    ...(since !== undefined && { since: since instanceof Date ? since.toISOString() : since }),
    limit: pageSize ?? 100,
  };
}

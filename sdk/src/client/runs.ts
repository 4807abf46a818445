import { pause } from '../backoff.ts';
import { WaitTimeoutError } from '../errors.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { checkFields, MisuseError } from '../misuse.ts';
import type { LogLevel } from '../protocol.ts';
import type { BulkCancel, BulkReplay } from '../records/control.ts';
import {
  type FinishedRun,
  isFinal,
  type Run,
  type RunFrame,
  type RunLogLine,
  type RunStep,
  type RunSummary,
} from '../records/runs.ts';
import type { Awaitable, ForkedRun, RunId } from '../records/starts.ts';
import type { RunBucket, RunStats } from '../records/stats.ts';
import { checkMs, Deadline } from '../timer.ts';
import { type Api, longRetries } from './api.ts';
import { body } from './body.ts';
import { instantOf, rowsOf, tagParameters } from './query.ts';
import {
  type BulkCancelFilter,
  type BulkFilter,
  bulkBody,
  bulkCancelFields,
  bulkFields,
  instantsOf,
  type RunFilter,
  type RunStatsFilter,
  type RunTimeseriesFilter,
  runFields,
  statsFields,
  timeseriesFields,
} from './runFilters.ts';
import { isBulkCancel, isBulkReplay, isDiagnosis, isList, isRun, isRunStats } from './shapes.ts';
import { streamRun } from './streamRun.ts';
import type { RunDiagnosis, RunWait } from './waits.ts';

export interface RunWaitOptions {
  /** Throw a `WaitTimeoutError` after this time. Default: no limit. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface LogOptions {
  /** Only lines with a greater `seq`. */
  from?: number | undefined;
  /** Only lines of these levels. Default: all. */
  levels?: readonly LogLevel[] | undefined;
  /** Only lines of this step; `@root`: only those of the handler itself. */
  scope?: string | undefined;
  /** Only lines with this text in their message or fields. Case does not count. */
  q?: string | undefined;
}

/** How long the service may hold its answer. Shorter than the timeout of a call. */
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
   * Iterates over runs, newest first by default, and fetches pages as the loop advances.
   *
   * @example
   * ```ts
   * for await (const run of hf.runs.list({ status: 'failed' })) console.log(run.id);
   * ```
   */
  list(filter: RunFilter = {}): AsyncGenerator<RunSummary, void, undefined> {
    this.#api.warnOfUnknown('runs.list', filter, runFields);
    const { tags, statuses, deep, pageSize, ...rest } = filter;
    const query = {
      ...rest,
      ...instantsOf(filter),
      ...tagParameters(tags),
      statuses: statuses?.join(','),
      ...(deep === true && { deep: 1 }),
    };
    return rowsOf(this.#api, '/runs', { ...query, limit: pageSize ?? 100 });
  }

  /** Counts runs by status, with the durations of those that ended. */
  async stats(filter: RunStatsFilter = {}): Promise<RunStats> {
    this.#api.warnOfUnknown('runs.stats', filter, statsFields);
    const { tags, since, ...rest } = filter;
    const query = { ...rest, ...tagParameters(tags), since: instantOf(since) };
    return asDeclared((await this.#api.get('/runs/stats', isRunStats, { query })).body);
  }

  /** The same by the time of creation, oldest bucket first. Buckets without runs are absent. */
  async timeseries(filter: RunTimeseriesFilter = {}): Promise<RunBucket[]> {
    this.#api.warnOfUnknown('runs.timeseries', filter, timeseriesFields);
    const query = { ...filter, since: instantOf(filter.since) };
    return asDeclared((await this.#api.get('/runs/timeseries', isList, { query })).body);
  }

  /** Lists a row for each attempt of each step, in order. */
  async steps(id: string): Promise<RunStep[]> {
    return asDeclared((await this.#api.get(`/runs/${encodeURIComponent(id)}/steps`, isList)).body);
  }

  /**
   * Lists all that must happen before the run moves, the most important cause first. Empty while
   * the run executes, and once it has ended. Of several waiting steps, any one lets it go on.
   */
  async waiting(id: string): Promise<RunWait[]> {
    return asDeclared((await this.#api.get(`/runs/${encodeURIComponent(id)}/waiting`, isList)).body);
  }

  /** Tells why the run failed, was cancelled or does not move, and what could be done. */
  async diagnosis(id: string): Promise<RunDiagnosis> {
    return asDeclared((await this.#api.get(`/runs/${encodeURIComponent(id)}/diagnosis`, isDiagnosis)).body);
  }

  /**
   * Iterates over log lines, oldest first, and fetches pages as the loop advances. Skips lines up
   * to number `from`, and lines that a filter leaves out.
   */
  async *logs(id: string, options: LogOptions = {}): AsyncGenerator<RunLogLine, void, undefined> {
    const limit = 1000;
    const { levels, scope, q } = options;
    const filter = { levels: levels?.join(','), scope, q };
    for (let from = options.from; ; ) {
      const path = `/runs/${encodeURIComponent(id)}/logs`;
      const page = await this.#api.get(path, isList, { query: { from, limit, ...filter } });
      const lines = asDeclared<RunLogLine[]>(page.body);
      yield* lines;
      const next = page.headers.get('x-next-from');
      // Older services do not send the next position, and never end a page early.
      if (next === null && lines.length < limit) return;
      from = next === null ? lines.at(-1)?.seq : Number(next);
    }
  }

  /**
   * Follows the run's frames from the first (or after `from`) until the run has finished.
   * Reconnects and resumes after a lost connection.
   */
  stream(
    id: string,
    options: { from?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<RunFrame, void, undefined> {
    return streamRun(this.#api, id, options);
  }

  /**
   * Waits until the run has finished, whatever its final status. Reconnects while the service
   * restarts. Throws `WaitTimeoutError` after `timeoutMs`. Default: no limit.
   *
   * Takes an id, or the whole answer to a start. If the start was withheld because of another run
   * (`existingRunId`), it waits for that run. It throws if the answer names no run, as when the
   * start was dropped.
   *
   * @example
   * ```ts
   * // Starts the month once, however often it is called, and waits for its end.
   * const started = await hf.workflows.trigger(closeMonth, { dedupeId: '2030-01' });
   * const run = await hf.runs.wait(started);
   * ```
   */
  async wait<Result = unknown>(run: Awaitable<Result>, options: RunWaitOptions = {}): Promise<FinishedRun<Result>> {
    const id = idOf(run);
    using deadline = new Deadline(checkMs('timeoutMs', options.timeoutMs ?? Number.POSITIVE_INFINITY));
    const signal = AbortSignal.any([options.signal, deadline.signal].flatMap((each) => each ?? []));
    const path = `/runs/${encodeURIComponent(id)}`;
    try {
      for (;;) {
        const askedAt = performance.now();
        const options = { query: { wait: waitMs }, signal, retries: longRetries };
        const answer = await this.#api.get(path, isRun, options);
        const run = withResult<Result>(asDeclared(answer.body));
        if (isFinished(run)) return run;
        // A service that is stopping answers early.
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
   * Pauses the run at its next step boundary, and returns it. Its status is `paused`, or still
   * `running` with `pausedBy` set.
   */
  async pause(id: string): Promise<Run> {
    return this.#control(id, 'pause');
  }

  /** Resumes a paused run, and returns it. */
  async resume(id: string): Promise<Run> {
    return this.#control(id, 'resume');
  }

  /**
   * Starts a new run of a finished run's workflow from the beginning, with the same input or with
   * `input`.
   */
  async replay<Result = unknown>(id: RunId<Result>, options: { input?: unknown } = {}): Promise<ForkedRun<Result>> {
    const { input } = options;
    return this.#control(id, 'replay', body('the input of the new run', {}, { input }));
  }

  /**
   * Starts a new run that keeps the results of the steps before `step`, and executes the rest
   * again.
   */
  async retryFromStep<Result = unknown>(id: RunId<Result>, step: string): Promise<ForkedRun<Result>> {
    return this.#control(id, 'retry-from-step', { step });
  }

  /**
   * Replays the newest matching runs that have ended, at most 1000 per call. Throws a `TypeError`
   * for a misspelt field, which would otherwise select more runs.
   */
  async bulkReplay(filter: BulkFilter): Promise<BulkReplay> {
    const content = bulkBody(filter, bulkFields, 'runs.bulkReplay');
    return asDeclared((await this.#api.post('/runs/bulk-replay', isBulkReplay, { body: content })).body);
  }

  /**
   * Cancels the newest matching runs that have not ended, at most 1000 per call. Throws a
   * `TypeError` for a misspelt field, which would otherwise select more runs.
   */
  async bulkCancel(filter: BulkCancelFilter): Promise<BulkCancel> {
    const content = bulkBody(filter, bulkCancelFields, 'runs.bulkCancel');
    return asDeclared((await this.#api.post('/runs/bulk-cancel', isBulkCancel, { body: content })).body);
  }

  async #control<Answer>(id: string, action: string, content?: object): Promise<Answer> {
    const answer = await this.#api.post(`/runs/${encodeURIComponent(id)}/${action}`, isRun, { body: content });
    return asDeclared(answer.body);
  }
}

function idOf<Result>(run: Awaitable<Result>): RunId<Result> {
  if (typeof run === 'string') return run;
  checkFields(run, 'runs.wait needs the id of a run, or an answer that names a run');
  if (run.id !== undefined) return run.id;
  const id = run.runId ?? run.existingRunId;
  if (id !== undefined) return id;
  const reason = (['skipped', 'dropped', 'debounced', 'batched', 'deduped'] as const).find((gate) => run[gate]);
  const why = reason === undefined ? 'nothing was started' : `the start was ${reason}`;
  throw new MisuseError(`runs.wait needs an answer that names a run: ${why}`);
}

/**
 * The service stores no result for a handler that returned nothing. The declared type is `null`, as
 * for a step.
 */
function withResult<Result>(run: Run<Result>): Run<Result> {
  return run.status === 'succeeded' && !('result' in run) ? { ...run, result: asDeclared<Result>(null) } : run;
}

function isFinished<Result>(run: Run<Result>): run is FinishedRun<Result> {
  return isFinal(run.status);
}

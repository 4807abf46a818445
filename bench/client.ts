import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from './httpClient.ts';
import type { Service } from './service.ts';
import { until } from './waiting.ts';
import { type BenchInput, app as benchApp, type WorkflowName } from './workflows.ts';

/** The input without its number, and the app of the workflow. */
interface StartOptions extends Omit<BenchInput, 'i'> {
  app?: string;
}

interface Starts extends StartOptions {
  workflow: WorkflowName;
  runs: number;
  /** Parallel loops, each of which starts one run after another. */
  concurrency: number;
  /**
   * The number of flow-control scopes over which the runs are spread. Default: the input has no
   * scope.
   */
  scopes?: number;
  /** Starts per second. Default: as many as are accepted. */
  rate?: number;
}

interface StartedRun {
  id: string;
  i: number;
}

interface RunAnswer {
  status: string;
  result?: { i: number };
}

/** The longest time for which the service holds the answer to a wait, in ms. */
const longPollMs = 30_000;

/** The client's side: starts runs, waits for results, and checks whether runs are unfinished. */
export class Client {
  readonly #http: HttpClient;
  readonly #finished: () => number;
  #serial = 0;

  constructor({ baseUrl, apiKey }: Pick<Service, 'baseUrl' | 'apiKey'>, finished: () => number) {
    this.#http = new HttpClient(baseUrl, apiKey);
    this.#finished = finished;
  }

  /** Resolves with the run's id when the start is accepted, and so durable. */
  async start(workflow: WorkflowName, { app = benchApp, ...input }: StartOptions = {}): Promise<StartedRun> {
    const i = this.#serial;
    this.#serial += 1;
    const body = { input: { i, ...input } };
    const { runId } = await this.#http.post<{ runId: string }>(`/workflows/${app}/${workflow}/trigger`, body);
    return { id: runId, i };
  }

  /**
   * Starts a run and waits for its result. Returns the milliseconds from the start call to the
   * result.
   */
  async runToEnd(workflow: WorkflowName, options: StartOptions = {}): Promise<number> {
    const startedAt = performance.now();
    await this.ended(await this.start(workflow, options));
    return performance.now() - startedAt;
  }

  /** Resolves when a run has succeeded. Throws if it ends otherwise, or not within `limitMs`. */
  async ended({ id, i }: StartedRun, limitMs = longPollMs): Promise<void> {
    const end = performance.now() + limitMs;
    for (;;) {
      const run = await this.#http.get<RunAnswer>(`/runs/${id}?wait=${longPollMs}`);
      if (run.result?.i === i) return;
      const isOver = ['succeeded', 'failed', 'cancelled'].includes(run.status);
      if (isOver || performance.now() > end) throw new Error(`${id} is ${run.status}: ${JSON.stringify(run)}`);
    }
  }

  /** Sends an event, and returns how many runs it woke. */
  async send(name: string, data: unknown): Promise<number> {
    const { woke } = await this.#http.post<{ woke: number }>('/events', { name, data });
    return woke;
  }

  async cancel(runId: string): Promise<void> {
    await this.#http.post(`/runs/${runId}/cancel`, {});
  }

  /**
   * Starts many runs. Resolves with the duration of each start call, in ms, when all are accepted.
   */
  async startMany({ workflow, runs, concurrency, scopes, rate, ...options }: Starts): Promise<number[]> {
    const acceptMs: number[] = [];
    let started = 0;
    const beganAt = performance.now();
    const loop = async (): Promise<void> => {
      while (started < runs) {
        const dueAt = rate === undefined ? beganAt : beganAt + (started / rate) * 1000;
        started += 1;
        const scope = scopes === undefined ? {} : { scope: started % scopes };
        if (rate !== undefined) await delay(Math.max(0, dueAt - performance.now()));
        const at = performance.now();
        await this.start(workflow, { ...options, ...scope });
        acceptMs.push(performance.now() - at);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    return acceptMs;
  }

  /** Resolves when this many handlers have ended and the service reports no unfinished run. */
  async allDone(runs: number, limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    await until(() => this.#finished() >= runs, { limitMs, everyMs: 5, what: `${runs} handlers through` });
    const left = Math.max(1_000, end - performance.now());
    await until(() => this.#isIdle(), { limitMs: left, what: `${runs} runs recorded as ended` });
  }

  /** Reads a path. Returns the milliseconds. */
  async read(path: string): Promise<number> {
    const startedAt = performance.now();
    await this.#http.get(path);
    return performance.now() - startedAt;
  }

  /** Reads the first page of all runs. Returns the milliseconds. */
  async listRuns(): Promise<number> {
    const startedAt = performance.now();
    await this.#http.get('/runs');
    return performance.now() - startedAt;
  }

  close(): void {
    this.#http.close();
  }

  async #isIdle(): Promise<boolean> {
    const active = await this.#http.get<unknown[]>('/runs?status=active&limit=1');
    return active.length === 0;
  }
}

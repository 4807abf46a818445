import { HttpClient } from './httpClient.ts';
import type { Service } from './service.ts';
import { until } from './waiting.ts';
import { type BenchInput, app as benchApp, type WorkflowName } from './workflows.ts';

/** The input, but for its number, and where the workflow is. */
interface StartOptions extends Omit<BenchInput, 'i'> {
  app?: string;
}

interface Starts extends StartOptions {
  workflow: WorkflowName;
  runs: number;
  /** Loops that start runs, each one after another. */
  concurrency: number;
  /**
   * Over so many scopes of flow control they are spread; undefined: they say nothing of a scope.
   */
  scopes?: number;
}

interface StartedRun {
  id: string;
  i: number;
}

interface RunAnswer {
  status: string;
  result?: { i: number };
}

/** A request that waits for the end of a run is answered after this, in ms, at the latest. */
const longPollMs = 30_000;

/**
 * What users of the service do: start runs, wait for results, look whether anything is under way.
 */
export class Client {
  readonly #http: HttpClient;
  readonly #finished: () => number;
  #serial = 0;

  /** `finished` tells how many handlers are through. */
  constructor({ baseUrl, apiKey }: Pick<Service, 'baseUrl' | 'apiKey'>, finished: () => number) {
    this.#http = new HttpClient(baseUrl, apiKey);
    this.#finished = finished;
  }

  /** Resolves with the run's id once the start is accepted, and so durable. */
  async start(workflow: WorkflowName, { app = benchApp, ...input }: StartOptions = {}): Promise<StartedRun> {
    const i = this.#serial;
    this.#serial += 1;
    const body = { input: { i, ...input } };
    const { runId } = await this.#http.post<{ runId: string }>(`/workflows/${app}/${workflow}/trigger`, body);
    return { id: runId, i };
  }

  /** Starts a run and waits for its result. Milliseconds from the start call to the result. */
  async runToEnd(workflow: WorkflowName, options: StartOptions = {}): Promise<number> {
    const startedAt = performance.now();
    await this.ended(await this.start(workflow, options));
    return performance.now() - startedAt;
  }

  /** Resolves once a run has succeeded. Throws where it ends otherwise, or not within `limitMs`. */
  async ended({ id, i }: StartedRun, limitMs = longPollMs): Promise<void> {
    const end = performance.now() + limitMs;
    for (;;) {
      const run = await this.#http.get<RunAnswer>(`/runs/${id}?wait=${longPollMs}`);
      if (run.result?.i === i) return;
      const isOver = ['succeeded', 'failed', 'cancelled'].includes(run.status);
      if (isOver || performance.now() > end) throw new Error(`${id} is ${run.status}: ${JSON.stringify(run)}`);
    }
  }

  /** Answers how many runs an event woke. */
  async send(name: string, data: unknown): Promise<number> {
    const { woke } = await this.#http.post<{ woke: number }>('/events', { name, data });
    return woke;
  }

  async cancel(runId: string): Promise<void> {
    await this.#http.post(`/runs/${runId}/cancel`, {});
  }

  /** Starts many; resolves with how long each start took, in ms, once all are accepted. */
  async startMany({ workflow, runs, concurrency, scopes, ...options }: Starts): Promise<number[]> {
    const acceptMs: number[] = [];
    let started = 0;
    const loop = async (): Promise<void> => {
      while (started < runs) {
        started += 1;
        const scope = scopes === undefined ? {} : { scope: started % scopes };
        const at = performance.now();
        await this.start(workflow, { ...options, ...scope });
        acceptMs.push(performance.now() - at);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, loop));
    return acceptMs;
  }

  /** Resolves once so many handlers are through and the service says that no run is under way. */
  async allDone(runs: number, limitMs: number): Promise<void> {
    const end = performance.now() + limitMs;
    await until(() => this.#finished() >= runs, { limitMs, everyMs: 5, what: `${runs} handlers through` });
    const left = Math.max(1_000, end - performance.now());
    await until(() => this.#isIdle(), { limitMs: left, what: `${runs} runs recorded as ended` });
  }

  /** The first page of all runs. Milliseconds. */
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

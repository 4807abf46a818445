import { HttpClient } from './httpClient.ts';
import type { Service } from './service.ts';
import { until } from './waiting.ts';
import { app as benchApp, type WorkflowName } from './workflows.ts';

interface StartOptions {
  app?: string | undefined;
  /** Part of the input. */
  ms?: number | undefined;
}

interface Starts extends StartOptions {
  workflow: WorkflowName;
  runs: number;
  /** Loops that start runs, each one after another. */
  concurrency: number;
}

interface RunAnswer {
  status: string;
  result?: { i: number };
}

/** What users of the service do: start runs, wait for results, look whether anything is under way. */
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
  async start(workflow: WorkflowName, { app = benchApp, ms }: StartOptions = {}): Promise<{ id: string; i: number }> {
    const i = this.#serial;
    this.#serial += 1;
    const body = { input: { i, ms } };
    const { runId } = await this.#http.post<{ runId: string }>(`/workflows/${app}/${workflow}/trigger`, body);
    return { id: runId, i };
  }

  /** Starts a run and waits for its result. Milliseconds from the start call to the result. */
  async runToEnd(workflow: WorkflowName): Promise<number> {
    const startedAt = performance.now();
    const { id, i } = await this.start(workflow);
    const run = await this.#http.get<RunAnswer>(`/runs/${id}?wait=30000`);
    const ms = performance.now() - startedAt;
    if (run.result?.i !== i) throw new Error(`${workflow} ${id} ended as ${run.status}: ${JSON.stringify(run)}`);
    return ms;
  }

  /** Starts many; resolves with how long each start took, in ms, once all are accepted. */
  async startMany({ workflow, runs, concurrency, app, ms }: Starts): Promise<number[]> {
    const acceptMs: number[] = [];
    let started = 0;
    const loop = async (): Promise<void> => {
      while (started < runs) {
        started += 1;
        const at = performance.now();
        await this.start(workflow, { app, ms });
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

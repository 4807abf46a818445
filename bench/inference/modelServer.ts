import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../waiting.ts';
import type { ModelReport } from './modelServerProcess.ts';

/** A provider of models, in a process of its own. */
export class ModelServer {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<ModelServer> {
    const child = fork(fileURLToPath(new URL('./modelServerProcess.js', import.meta.url)));
    const [{ port }] = await once(child, 'message');
    return new ModelServer(child, port);
  }

  report(): Promise<ModelReport> {
    return this.#ask('report');
  }

  /** The report so far. The next one begins anew. */
  forget(): Promise<ModelReport> {
    return this.#ask('forget');
  }

  /** Resolves when so many requests were received since the last `forget`. */
  async received(count: number, limitMs: number): Promise<void> {
    const areThere = async (): Promise<boolean> => (await this.report()).received >= count;
    await until(areThere, { limitMs, everyMs: 20, what: `${count} requests received` });
  }

  stop(): void {
    this.#child.disconnect();
  }

  async #ask(what: 'report' | 'forget'): Promise<ModelReport> {
    const answer = once(this.#child, 'message');
    this.#child.send(what);
    const [{ report }] = await answer;
    return report;
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../waiting.ts';
import type { ReceiverReport } from './receiverProcess.ts';

/** How an address of the receiver answers. */
export type Behaviour = 'ok' | 'late' | 'error' | 'hang';

/** A receiver of webhooks, in a process of its own. */
export class Receiver {
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  static async start(): Promise<Receiver> {
    const child = fork(fileURLToPath(new URL('./receiverProcess.js', import.meta.url)));
    const [{ port }] = await once(child, 'message');
    return new Receiver(child, port);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  urlOf(behaviour: Behaviour, name: string | number): string {
    return `http://127.0.0.1:${this.#port}/${behaviour}/${name}`;
  }

  report(): Promise<ReceiverReport> {
    return this.#ask('report');
  }

  /** The report so far. The next one begins anew. */
  forget(): Promise<ReceiverReport> {
    return this.#ask('forget');
  }

  /** Resolves when so many deliveries were received since the last `forget`. */
  async received(count: number, limitMs: number): Promise<void> {
    const areThere = async (): Promise<boolean> => (await this.report()).received >= count;
    await until(areThere, { limitMs, everyMs: 20, what: `${count} deliveries received` });
  }

  stop(): void {
    this.#child.disconnect();
  }

  async #ask(what: 'report' | 'forget'): Promise<ReceiverReport> {
    const answer = once(this.#child, 'message');
    this.#child.send(what);
    const [{ report }] = await answer;
    return report;
  }
}

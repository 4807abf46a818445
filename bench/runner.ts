import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Profiling, profilingFlags } from './profiling.ts';

export interface RunnerOptions {
  baseUrl: string;
  apiKey: string;
  /** Default: the bench's own app. */
  app?: string | undefined;
  runner?: string | undefined;
  maxInFlight?: number | undefined;
  /** The number of connections, each a runner of its own. Default: 1. */
  sockets?: number | undefined;
}

export type RunnerMessage =
  | { kind: 'ready' }
  | { kind: 'failed'; reason: string }
  | { kind: 'forgotten' }
  /** How many different runs' handlers have ended. */
  | { kind: 'finished'; count: number }
  /** A handler has reached this step and waits at its gate. */
  | { kind: 'held'; step: number };

/** A process that executes the handlers of `workflows.ts`, connected by one or many WebSockets. */
export class Runner {
  readonly pid: number;
  readonly #child: ChildProcess;
  #finished = 0;
  /** Steps that wait at their gates, and that no caller has received yet. */
  readonly #held: number[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    child.on('message', (message: RunnerMessage) => {
      if (message.kind === 'finished') this.#finished = message.count;
      else if (message.kind === 'forgotten') this.#finished = 0;
      else if (message.kind === 'held') this.#held.push(message.step);
    });
  }

  static async start(options: RunnerOptions, profiling: Profiling): Promise<Runner> {
    const file = fileURLToPath(new URL('./runnerProcess.js', import.meta.url));
    const child = fork(file, [JSON.stringify(pick(options))], { execArgv: profilingFlags(profiling, 'runner') });
    const runner = new Runner(child);
    const message = await runner.#hear((each) => each.kind === 'ready' || each.kind === 'failed');
    if (message.kind === 'failed') throw new Error(`the runner could not connect: ${message.reason}`);
    return runner;
  }

  /** How many different runs' handlers have ended since the last `forget`. */
  get finished(): number {
    return this.#finished;
  }

  /** Resolves with the next step that waits at its gate. */
  async held(): Promise<number> {
    if (this.#held.length === 0) await this.#hear(({ kind }) => kind === 'held');
    return this.#held.shift() ?? Number.NaN;
  }

  letGo(): void {
    this.#child.send('letGo');
  }

  async forget(): Promise<void> {
    const heard = this.#hear((message) => message.kind === 'forgotten');
    this.#child.send('forget');
    await heard;
  }

  /** Disconnects the runner, and kills its process if that takes long. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    const tooLong = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    this.#child.send('stop');
    await gone;
    clearTimeout(tooLong);
  }

  async kill(): Promise<void> {
    const gone = once(this.#child, 'exit');
    if (this.#child.kill('SIGKILL')) await gone;
  }

  #hear(isIt: (message: RunnerMessage) => boolean): Promise<RunnerMessage> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#child.off('message', onMessage);
        this.#child.off('exit', onExit);
      };
      const onMessage = (message: RunnerMessage): void => {
        if (!isIt(message)) return;
        settle();
        resolve(message);
      };
      const onExit = (code: number | null): void => {
        settle();
        reject(new Error(`the runner ended (${code})`));
      };
      this.#child.on('message', onMessage);
      this.#child.on('exit', onExit);
    });
  }
}

/** Only the named fields, because callers may pass a whole `Service`. */
const pick = ({ baseUrl, apiKey, app, runner, maxInFlight, sockets }: RunnerOptions): RunnerOptions => ({
  baseUrl,
  apiKey,
  app,
  runner,
  maxInFlight,
  sockets,
});

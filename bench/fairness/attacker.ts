import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Measures } from '../stats.ts';
import type { AttackerMessage, AttackerOptions } from './attackerProcess.ts';

/** A process that attacks a service once. */
export class Attacker {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Resolves when everything that the attack needs is there. */
  static async start(options: AttackerOptions): Promise<Attacker> {
    const file = fileURLToPath(new URL('./attackerProcess.js', import.meta.url));
    const attacker = new Attacker(fork(file, [JSON.stringify(options)]));
    await attacker.#hear('prepared');
    return attacker;
  }

  /** Resolves with what the attacker saw, when it has hung up or was answered. */
  async strike(): Promise<Measures> {
    const over = this.#hear('over');
    this.#child.send('strike');
    const message = await over;
    return message.kind === 'over' ? message.measures : {};
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  #hear(kind: AttackerMessage['kind']): Promise<AttackerMessage> {
    return new Promise((resolve, reject) => {
      this.#child.on('message', (message: AttackerMessage) => message.kind === kind && resolve(message));
      this.#child.once('exit', (code) => reject(new Error(`the attacker ended (${code})`)));
    });
  }
}

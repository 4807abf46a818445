import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../src/engine/db/embedded/ports.ts';
import type { Keys } from '../../../src/keysFile.ts';
import { runServiceProcess, type StartingService } from '../../support/serviceProcess.ts';

/** A slot of a process: one address, for whichever process runs there. */
export class KillSlot {
  readonly #dataDir: string;
  readonly #env: Record<string, string>;
  #running: StartingService | undefined;
  #silencesOfFormer = 0;
  readonly baseUrl: string;
  apiKey = '';

  private constructor(dataDir: string, databaseUrl: string, port: number) {
    this.#dataDir = dataDir;
    this.#env = {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      ALLOW_UNSAFE_DATABASE: 'true',
      LOG_LEVEL: 'warn',
      BUDGET_CHECK_MS: '100',
    };
    this.baseUrl = `http://127.0.0.1:${port}`;
  }

  static async open(dataDir: string, databaseUrl: string): Promise<KillSlot> {
    const slot = new KillSlot(dataDir, databaseUrl, await freePort(undefined));
    await slot.start();
    const keys: Keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
    slot.apiKey = keys.secretKey;
    return slot;
  }

  /**
   * Starts a process in the slot, with all roles or some. Returns the time until it was ready, in
   * ms.
   */
  async start(roles?: string): Promise<number> {
    const startedAt = performance.now();
    const env = roles === undefined ? this.#env : { ...this.#env, ROLES: roles };
    this.#running = await runServiceProcess({ dataDir: this.#dataDir, env });
    await this.#running.ready;
    return Math.round(performance.now() - startedAt);
  }

  /**
   * SIGKILL: no work is finished, no lease released. A process that exited by itself is a failure.
   */
  async kill(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const { exitCode } = running.child;
    if (exitCode !== null) throw new Error(`the service ended by itself with ${exitCode}:\n${running.output.log}`);
    await running.end('SIGKILL');
    this.#silencesOfFormer += silencesIn(running);
    this.#running = undefined;
  }

  /** How often a live process of this slot was found silent by the other, which took its runs. */
  get silences(): number {
    return this.#silencesOfFormer + silencesIn(this.#running);
  }

  async stop(): Promise<void> {
    await this.#running?.end('SIGTERM');
  }
}

const silencesIn = (running: StartingService | undefined): number =>
  (running?.output.log.split('found dead by others').length ?? 1) - 1;

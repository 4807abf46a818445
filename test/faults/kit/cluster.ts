import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/engine/db/embedded/ports.ts';
import type { Keys } from '../../../src/keysFile.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/serviceProcess.ts';

/** An address at which one process of the service after the other serves. */
export interface Instance {
  readonly baseUrl: string;
  process: ServiceProcess;
}

interface Given {
  database?: { url: string; drop: () => Promise<void> };
  build?: string;
}

/** Several processes of the service, each with all roles, on one database. */
export class Cluster {
  readonly databaseUrl: string;
  readonly keys: Keys;
  readonly instances: readonly Instance[];
  readonly #dataDir: string;
  readonly #drop: () => Promise<void>;

  private constructor(parts: {
    databaseUrl: string;
    keys: Keys;
    instances: Instance[];
    dataDir: string;
    drop: () => Promise<void>;
  }) {
    this.databaseUrl = parts.databaseUrl;
    this.keys = parts.keys;
    this.instances = parts.instances;
    this.#dataDir = parts.dataDir;
    this.#drop = parts.drop;
  }

  /**
   * On an empty database of the tests' server, unless another is given; of the project's build,
   * unless another is.
   */
  static async open(count: number, given: Given = {}): Promise<Cluster> {
    const database = given.database ?? (await createEmptyDatabase());
    const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-faults-'));
    const ports = await Promise.all(Array.from({ length: count }, () => freePort(undefined)));
    const instances = await Promise.all(
      ports.map(async (port) => ({
        baseUrl: `http://127.0.0.1:${port}`,
        process: await startServiceProcess({ dataDir, env: settings(database.url, port), build: given.build }),
      })),
    );
    const keys: Keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
    return new Cluster({ databaseUrl: database.url, keys, instances, dataDir, drop: database.drop });
  }

  get baseUrls(): string[] {
    return this.instances.map(({ baseUrl }) => baseUrl);
  }

  /** One after the other, from the first again. */
  at(turn: number): Instance {
    const instance = this.instances[turn % this.instances.length];
    if (!instance) throw new Error('no instance');
    return instance;
  }

  /** A new process at the address of one that is gone. */
  async replace(instance: Instance, build?: string): Promise<void> {
    const port = Number(new URL(instance.baseUrl).port);
    const env = settings(this.databaseUrl, port);
    instance.process = await startServiceProcess({ dataDir: this.#dataDir, env, build });
  }

  async close(): Promise<void> {
    await Promise.all(this.instances.map(({ process }) => process.end('SIGTERM')));
    await rm(this.#dataDir, { recursive: true, force: true });
    await this.#drop();
  }
}

const settings = (databaseUrl: string, port: number): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  ALLOW_UNSAFE_DATABASE: 'true',
  DATABASE_POOL_SIZE: '8',
  LOG_LEVEL: 'warn',
  PORT: String(port),
});

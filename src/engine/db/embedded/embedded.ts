// The PostgreSQL that Holdfast brings along.
//
// Owns: the data directory, the server's process and its port. Does not own: the schema
// (migrate.ts) and the connections (open.ts).
//
// Invariants:
// E1. A data directory has one server. If one runs already, we adopt it and start no second one.
// E2. A server is adopted only if it proves to read our files. If another program has our port, we
//     take another port.
// E3. We delete only our own drafts, and a postmaster.pid that names an unrelated process.
import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { errorCode } from '../index.ts';
import { assertDurable } from '../pool/index.ts';
import { chooseAccount } from './account.ts';
import { findLiveServer } from './adopt.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import { type Cluster, openCluster, rememberPort } from './cluster.ts';
import { EmbeddedDatabaseError } from './embeddedError.ts';
import { freePort } from './ports.ts';
import { isAlive } from './processes.ts';
import { databaseUrl, launchServer, stopServer, withClient } from './server.ts';

export interface EmbeddedOptions {
  /** The data directory. Its parent is created if missing, and holds the server's log. */
  directory: string;
  log?: Logger | undefined;
  /**
   * Further settings of the server. Tests that turn durability off for speed must set `isDurable`
   * to false.
   */
  settings?: Record<string, string> | undefined;
  /** Whether to refuse a server that may lose commits. Default: true. */
  isDurable?: boolean | undefined;
}

export interface EmbeddedDatabase {
  /** The URL of the database `holdfast`, with its password. */
  url: string;
  port: number;
  pid: number;
  /** Whether the server was running before us. */
  isAdopted: boolean;
  /** Stops the server, unless another Holdfast process uses it. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts the bundled PostgreSQL, or adopts the one that runs, and creates the database `holdfast`.
 * Restarts the server on the same port if it dies. Throws an `EmbeddedDatabaseError` that says what
 * to do.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const directory = resolve(options.directory);
  const account = await chooseAccount(directory);
  const binaries = await prepareBinaries(account);
  const cluster = await openCluster(directory, binaries, account);
  const server = new EmbeddedServer(cluster, binaries, options);
  await server.start();
  try {
    await prepareDatabase(server, options.isDurable ?? true);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

const databaseName = 'holdfast';

async function prepareDatabase(server: EmbeddedServer, isDurable: boolean): Promise<void> {
  await withClient(server.urlOf('postgres'), async (client) => {
    if (isDurable) await assertDurable(client);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName]);
    if (rowCount) return;
    await client.query(`create database ${databaseName}`).catch((error: unknown) => {
      // Another process was faster. PostgreSQL has two codes for this.
      const code = errorCode(error);
      if (code !== '42P04' && code !== '23505') throw error;
    });
  });
}

class EmbeddedServer implements EmbeddedDatabase {
  port = 0;
  pid = 0;
  isAdopted = false;
  readonly #cluster: Cluster;
  readonly #binaries: Binaries;
  readonly #options: EmbeddedOptions;
  readonly #stopping = new AbortController();
  #watch: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(cluster: Cluster, binaries: Binaries, options: EmbeddedOptions) {
    this.#cluster = cluster;
    this.#binaries = binaries;
    this.#options = options;
  }

  get url(): string {
    return this.urlOf(databaseName);
  }

  urlOf(database: string): string {
    return databaseUrl(this.#cluster, this.port, database);
  }

  async start(): Promise<void> {
    const child = await this.#launchOrAdopt(() => freePort(this.#cluster.port));
    await rememberPort(this.#cluster, this.port);
    this.#watch = this.#keepAlive(child);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watch;
    if (await this.#isUsedByOthers()) {
      this.#options.log?.info('the embedded PostgreSQL keeps running: another Holdfast process uses it');
      return;
    }
    await stopServer(this.pid);
  }

  /** E1. Adopts a running server, or launches one. Undefined if adopted. */
  async #launchOrAdopt(choosePort: () => Promise<number>): Promise<ChildProcess | undefined> {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const live = await findLiveServer(this.#cluster);
      if (live) return this.#adopt(live.pid, live.port);
      const port = await choosePort();
      const logFile = `${this.#cluster.directory}.log`;
      const settings = this.#options.settings ?? {};
      const child = await launchServer({ cluster: this.#cluster, binaries: this.#binaries, port, logFile, settings });
      if (typeof child !== 'string') {
        Object.assign(this, { pid: child.pid ?? 0, port, isAdopted: false });
        return child;
      }
      // Another program took the port, or sessions of a killed server have not ended yet.
      await delay(100, undefined, { signal: this.#stopping.signal });
    }
    throw new EmbeddedDatabaseError(
      `the embedded PostgreSQL cannot start: ${this.#cluster.directory} or its port stays in use: ` +
        `see ${this.#cluster.directory}.log`,
    );
  }

  #adopt(pid: number, port: number): undefined {
    Object.assign(this, { pid, port, isAdopted: true });
    this.#options.log?.info({ pid, port }, 'using the embedded PostgreSQL that is already running');
  }

  /** Restarts the server whenever it dies, on the port that our connections use. */
  async #keepAlive(first: ChildProcess | undefined): Promise<void> {
    const { signal } = this.#stopping;
    let child = first;
    while (!signal.aborted) {
      await this.#untilGone(child);
      if (signal.aborted) return;
      this.#options.log?.error({ pid: this.pid }, 'the embedded PostgreSQL exited: restarting it');
      try {
        child = await this.#launchOrAdopt(async () => this.port);
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log?.error({ err: error }, 'the embedded PostgreSQL failed to start: retrying in 1 s');
        await delay(1_000, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #untilGone(child: ChildProcess | undefined): Promise<void> {
    const { signal } = this.#stopping;
    const isGone = (): boolean => (child ? child.exitCode !== null || child.signalCode !== null : !isAlive(this.pid));
    while (!signal.aborted && !isGone()) {
      await delay(child ? 100 : 500, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /**
   * Whether other Holdfast processes are connected. Sessions that just ended can stay visible for a
   * moment.
   */
  async #isUsedByOthers(): Promise<boolean> {
    for (let look = 0; look < 10; look += 1) {
      if (!(await this.#hasSessions())) return false;
      await delay(50);
    }
    return true;
  }

  #hasSessions(): Promise<boolean> {
    const sessions = withClient(this.urlOf('postgres'), async (client) => {
      const { rowCount } = await client.query(
        `select from pg_stat_activity where backend_type = 'client backend' and application_name like 'holdfast%'`,
      );
      return Boolean(rowCount);
    });
    return sessions.catch(() => false);
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, chooseAccount } from '../../../src/engine/db/embedded/account.ts';
import { type Binaries, prepareBinaries } from '../../../src/engine/db/embedded/binaries.ts';
import { type Cluster, openCluster } from '../../../src/engine/db/embedded/cluster.ts';
import { freePort } from '../../../src/engine/db/embedded/ports.ts';
import { databaseUrl, launchServer, stopServer, withClient } from '../../../src/engine/db/embedded/server.ts';

const role = 'tenant';

/**
 * A PostgreSQL that a test stops and starts as it likes, as durable as in use. Nobody starts it
 * again by himself.
 */
export class OwnServer {
  readonly #cluster: Cluster;
  readonly #binaries: Binaries;
  readonly #port: number;
  #pid = 0;

  private constructor(cluster: Cluster, binaries: Binaries, port: number) {
    this.#cluster = cluster;
    this.#binaries = binaries;
    this.#port = port;
  }

  static async open(): Promise<OwnServer> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-server-'));
    const directory = join(folder, 'pg');
    const account: Account | undefined = await chooseAccount(directory);
    const binaries = await prepareBinaries(account);
    const cluster = await openCluster(directory, binaries, account);
    const server = new OwnServer(cluster, binaries, await freePort(undefined));
    await server.start();
    await withClient(server.adminUrl('postgres'), async (client) => {
      await client.query(`create role ${role} login password '${role}'`);
      await client.query(`create database ${role} owner ${role}`);
    });
    return server;
  }

  /**
   * The address of a database, for a user who is no superuser: he finds no room where others have
   * taken all there is.
   */
  get url(): string {
    const url = new URL(this.adminUrl(role));
    url.username = role;
    url.password = role;
    return url.href;
  }

  adminUrl(database: string = role): string {
    return databaseUrl(this.#cluster, this.#port, database);
  }

  /** Resolves once it accepts connections, through crash recovery where that has to be. */
  async start(): Promise<void> {
    const { directory } = this.#cluster;
    const options = { cluster: this.#cluster, binaries: this.#binaries, port: this.#port, settings: {} };
    for (;;) {
      const child = await launchServer({ ...options, logFile: `${directory}.log` });
      this.#pid = typeof child === 'string' ? 0 : (child.pid ?? 0);
      // The rest of a server that was killed may still be on its way out.
      if (this.#pid > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** SIGINT is a fast stop, SIGQUIT an immediate one. */
  kill(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void {
    process.kill(this.#pid, signal);
  }

  async close(): Promise<void> {
    await stopServer(this.#pid);
    await rm(join(this.#cluster.directory, '..'), { recursive: true, force: true });
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, stat, truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Binaries } from './binaries.ts';
import { type Cluster, pathForServer, serverEnvironment } from './cluster.ts';
import { EmbeddedDatabaseError } from './embeddedError.ts';
import { localHost } from './ports.ts';
import { isAlive } from './processes.ts';

export interface LaunchOptions {
  cluster: Cluster;
  binaries: Binaries;
  port: number;
  logFile: string;
  /** Further settings of the server, as on its command line. */
  settings: Record<string, string>;
}

/** Why a server did not start: its port was taken, or another server still uses the data. */
export type LaunchFailure = 'portTaken' | 'dataInUse';

/**
 * Starts a server and waits until it accepts connections. Crash recovery may take any time. The
 * server gets its own session: Ctrl-C in the terminal must not stop it, because we stop it
 * ourselves.
 */
export async function launchServer(options: LaunchOptions): Promise<ChildProcess | LaunchFailure> {
  const { cluster, port, logFile } = options;
  const logStart = await rotateLog(logFile);
  const child = await spawnServer(options);
  while (child.exitCode === null && child.signalCode === null) {
    if (await accepts(cluster, port)) return child;
    await delay(20);
  }
  const log = (await readFile(logFile, 'utf8')).slice(logStart);
  if (/could not bind|Address already in use/i.test(log)) return 'portTaken';
  if (/lock file "postmaster\.pid" already exists|pre-existing shared memory block/.test(log)) return 'dataInUse';
  const last = log.trim().split('\n').slice(-8).join('\n');
  throw new EmbeddedDatabaseError(`the embedded PostgreSQL did not start (see ${logFile}):\n${last}`);
}

async function spawnServer({ cluster, binaries, port, logFile, settings }: LaunchOptions): Promise<ChildProcess> {
  const fixed = { port: String(port), listen_addresses: localHost, unix_socket_directories: '' };
  const flags = Object.entries({ ...settings, ...fixed }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const path = await pathForServer(cluster.directory, cluster.account);
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(binaries.postgres, ['-D', path, ...flags], {
      cwd: cluster.directory,
      env: serverEnvironment,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
      ...cluster.account,
    });
    await once(child, 'spawn');
    child.unref();
    return child;
  } catch (error) {
    throw new EmbeddedDatabaseError(`cannot run ${binaries.postgres}: ${String(error)}`, { cause: error });
  } finally {
    await log.close();
  }
}

/** Empties a large log. Returns the offset at which this start begins. */
async function rotateLog(logFile: string): Promise<number> {
  const size = (await stat(logFile).catch(() => undefined))?.size ?? 0;
  if (size < 10_000_000) return size;
  await truncate(logFile);
  return 0;
}

/**
 * The URL of a database of this cluster: complete, so that environment variables have no effect.
 */
export const databaseUrl = ({ password }: Cluster, port: number, database: string): string =>
  `postgresql://postgres:${password}@${localHost}:${port}/${database}?sslmode=disable`;

/** Runs `work` on a short-lived connection. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'launcher' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const accepts = (cluster: Cluster, port: number): Promise<boolean> =>
  withClient(databaseUrl(cluster, port, 'postgres'), async () => true).catch(() => false);

/**
 * Stops a server: first by ending its sessions, without loss of data; after `timeoutMs` by SIGQUIT.
 * Returns when the process has ended.
 */
export async function stopServer(pid: number, timeoutMs = 8_000): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!send(pid, signal)) return;
    const until = Date.now() + timeoutMs;
    while (Date.now() < until) {
      if (!isAlive(pid)) return;
      await delay(20);
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

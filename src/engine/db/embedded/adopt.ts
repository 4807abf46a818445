import { randomBytes } from 'node:crypto';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cluster, writeOwned } from './cluster.ts';
import { EmbeddedDatabaseError } from './embeddedError.ts';
import { isAlive } from './processes.ts';
import { databaseUrl, withClient } from './server.ts';

/** A server that was running before us. */
export interface LiveServer {
  pid: number;
  port: number;
}

/**
 * Finds a server that already runs on this data directory, left by a killed service or used by
 * another process. Undefined if there is none. Throws if a process holds the data but does not
 * answer as our server within `timeoutMs`.
 */
export async function findLiveServer(cluster: Cluster, timeoutMs = 30_000): Promise<LiveServer | undefined> {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const noted = await readPostmasterFile(cluster.directory);
    if (!noted || !isAlive(noted.pid)) return undefined;
    if (noted.port !== undefined && (await hasOurData(cluster, noted.port)))
      return { pid: noted.pid, port: noted.port };
    if ((await worksIn(noted.pid, cluster.directory)) === false) {
      // E3. The process id now belongs to an unrelated process. PostgreSQL would mistake it for a
      // server.
      await rm(join(cluster.directory, 'postmaster.pid'), { force: true });
      return undefined;
    }
    if (Date.now() > until) break;
    // The server may be starting, recovering or stopping.
    await delay(100);
  }
  throw new EmbeddedDatabaseError(
    `a process uses ${cluster.directory} (see postmaster.pid there), but does not answer as its PostgreSQL: ` +
      'stop that process, or remove postmaster.pid if the process is not PostgreSQL',
  );
}

/** PostgreSQL's own file: process id, data directory, start time, port, and more. */
async function readPostmasterFile(directory: string): Promise<{ pid: number; port: number | undefined } | undefined> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port] = text.split('\n');
  // A negative number is a single-user session.
  return pid ? { pid: Math.abs(Number(pid)), port: port ? Number(port) : undefined } : undefined;
}

/** E2. Whether the server on a port uses our data directory: reads a file that we just wrote. */
async function hasOurData(cluster: Cluster, port: number): Promise<boolean> {
  const name = `holdfast.challenge-${randomBytes(8).toString('hex')}`;
  const content = randomBytes(16).toString('hex');
  await writeOwned(cluster, name, content);
  try {
    return await withClient(databaseUrl(cluster, port, 'postgres'), async (client) => {
      const { rows } = await client.query<{ content: string }>('select pg_read_file($1) as content', [name]);
      return rows[0]?.content === content;
    });
  } catch {
    return false;
  } finally {
    await rm(join(cluster.directory, name), { force: true });
  }
}

/**
 * Whether the working directory of a process is this one, as with PostgreSQL and its data
 * directory. Undefined if unknown.
 */
async function worksIn(pid: number, directory: string): Promise<boolean | undefined> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(directory));
  } catch {
    return undefined;
  }
}

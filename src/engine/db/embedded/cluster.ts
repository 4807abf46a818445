import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../index.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { isReachableByAll } from './binaries.ts';
import { EmbeddedDatabaseError } from './embeddedError.ts';
import { isAlive } from './processes.ts';

/** A data directory, and how to reach the server that runs on it. */
export interface Cluster {
  directory: string;
  account: Account | undefined;
  password: string;
  /** The last port of the server. */
  port: number | undefined;
}

/** Stands in the data directory, so that the password stays with the data. */
const noteFile = 'holdfast.json';

/**
 * Opens the data directory, or creates it. Refuses a folder that we did not make, or that another
 * major version made, and leaves it untouched.
 */
export async function openCluster(
  directory: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<Cluster> {
  await discardDrafts(directory);
  const entries = await listEntries(directory);
  if (entries.length === 0) await createCluster(directory, binaries, account);
  else await checkCluster(directory, entries, binaries);
  return { directory, account, ...(await readNote(directory)) };
}

/** Stores the port, so that the next start finds a server that still runs there. */
export async function rememberPort(cluster: Cluster, port: number): Promise<void> {
  if (cluster.port === port) return;
  cluster.port = port;
  await writeOwned(cluster, noteFile, JSON.stringify({ password: cluster.password, port }));
}

/** Writes a file into the data directory atomically. Only the owner can read it. */
export async function writeOwned(cluster: Cluster, name: string, content: string): Promise<void> {
  const draft = join(cluster.directory, `${name}.${randomBytes(4).toString('hex')}`);
  await writeFile(draft, content, { mode: 0o600 });
  if (cluster.account) await chown(draft, cluster.account.uid, cluster.account.gid);
  await rename(draft, join(cluster.directory, name));
}

/**
 * The data directory as given to PostgreSQL. If its user may not enter the parent folders, we give
 * it the working directory. Linux resolves that name without walking the path.
 */
export async function pathForServer(directory: string, account: Account | undefined): Promise<string> {
  if (!account || (await isReachableByAll(dirname(directory)))) return directory;
  if (process.platform === 'linux' && (await stat('/proc/self/cwd').catch(() => undefined))) return '/proc/self/cwd';
  throw new EmbeddedDatabaseError(
    `PostgreSQL cannot run as root, and its user may not enter ${dirname(directory)}: ` +
      'start as an ordinary user, or set DATA_DIR to a folder that every user may enter',
  );
}

/** The whole environment of PostgreSQL's programs. Our own variables must not affect them. */
export const serverEnvironment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };

async function listEntries(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return [];
    if (code !== 'EACCES') throw error;
    throw new EmbeddedDatabaseError(
      `${directory} belongs to another user (was Holdfast started as root before?): ` +
        'start as that user or as root, or set DATA_DIR to another folder',
    );
  }
}

async function checkCluster(directory: string, entries: string[], binaries: Binaries): Promise<void> {
  if (!entries.includes('PG_VERSION') || !entries.includes(noteFile)) {
    throw new EmbeddedDatabaseError(
      `${directory} has files, but no database that Holdfast created: move them away, or set DATA_DIR to another folder`,
    );
  }
  const major = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (major === binaries.major) return;
  throw new EmbeddedDatabaseError(
    `${directory} was created by PostgreSQL ${major}, but this build has PostgreSQL ${binaries.major}. ` +
      'Nothing was changed. Start the version of Holdfast that created it; or run PostgreSQL ' +
      `${major} on it (or pg_upgrade it) and set DATABASE_URL; or set DATA_DIR to a new folder`,
  );
}

async function readNote(directory: string): Promise<{ password: string; port: number | undefined }> {
  const note: unknown = JSON.parse(await readFile(join(directory, noteFile), 'utf8'));
  if (typeof note === 'object' && note && 'password' in note && typeof note.password === 'string') {
    return { password: note.password, port: 'port' in note ? Number(note.port) : undefined };
  }
  throw new EmbeddedDatabaseError(`${join(directory, noteFile)} holds no password: restore the file`);
}

const draftPrefix = (directory: string): string => `${basename(directory)}.init-`;

/** E3. Removes the drafts of killed initializations. */
async function discardDrafts(directory: string): Promise<void> {
  const parent = dirname(directory);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(draftPrefix(directory)))) {
    const pid = Number(name.slice(draftPrefix(directory).length).split('-')[0]);
    if (!isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true });
  }
}

/** Initializes a draft and renames it, so that a data directory is never incomplete. */
async function createCluster(directory: string, binaries: Binaries, account: Account | undefined): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const draft = await mkdtemp(join(dirname(directory), `${draftPrefix(directory)}${process.pid}-`));
  const data = join(draft, 'data');
  const password = randomBytes(24).toString('base64url');
  try {
    await mkdir(data, { mode: 0o700 });
    await writeFile(join(draft, 'password'), password, { mode: 0o600 });
    if (account) for (const path of [draft, data, join(draft, 'password')]) await chown(path, account.uid, account.gid);
    await runInitdb(data, binaries, account);
    await writeOwned({ directory: data, account, password, port: undefined }, noteFile, JSON.stringify({ password }));
    await rename(data, directory);
  } catch (error) {
    // Another process created the data directory at the same time. Use that one.
    if (!(await listEntries(directory)).includes(noteFile)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function runInitdb(data: string, { initdb }: Binaries, account: Account | undefined): Promise<void> {
  const identity = ['--username=postgres', '--auth=scram-sha-256', '--pwfile=../password'];
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', await pathForServer(data, account), ...identity, ...locale, '--set=timezone=UTC'];
  try {
    await promisify(execFile)(initdb, args, { cwd: data, env: serverEnvironment, ...account });
  } catch (error) {
    const reason =
      error instanceof Error && 'stderr' in error ? String(error.stderr).trim() || error.message : String(error);
    throw new EmbeddedDatabaseError(`cannot initialize the embedded PostgreSQL in ${dirname(data)}: ${reason}`, {
      cause: error,
    });
  }
}

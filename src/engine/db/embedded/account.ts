import { readFile, stat } from 'node:fs/promises';
import { EmbeddedDatabaseError } from './embeddedError.ts';

/** The user who runs PostgreSQL; undefined for our own. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. As root we run it as the owner of its data directory. If there
 * is none yet, as the user `postgres`, else as `nobody`.
 */
export async function chooseAccount(dataDirectory: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(dataDirectory).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const found = findAccount(accounts, 'postgres') ?? findAccount(accounts, 'nobody');
  if (found) return found;
  throw new EmbeddedDatabaseError(
    'PostgreSQL does not run as root, and this system has no user postgres or nobody: start as an ordinary user',
  );
}

function findAccount(accounts: string, name: string): Account | undefined {
  const line = accounts.split('\n').find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid && uid !== '0' ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

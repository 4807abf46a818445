import { readFile, stat } from 'node:fs/promises';
import { EmbeddedDatabaseError } from './embeddedError.ts';

/** The user of the operating system as which PostgreSQL runs. Undefined: as ourselves. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. Under root it runs as the owner of its data directory or,
 * before there is one, as the system's `postgres`, else as `nobody`.
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

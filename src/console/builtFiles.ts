import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The codings of an asset, the best one first. The build compresses each asset. */
export const codings = ['br', 'gzip'] as const;
type Coding = (typeof codings)[number] | 'identity';

/** An asset as it is, and in the codings in which the build wrote it. */
export type Asset = Readonly<Partial<Record<Coding, Buffer>> & { identity: Buffer }>;

/** The files of the built console. */
export interface BuiltConsole {
  /** The page, cut where a nonce belongs. */
  page: readonly string[];
  /** By file name. */
  assets: ReadonlyMap<string, Asset>;
}

/** The mark of the build for the nonce of a request. */
const nonceMark = '__CSP_NONCE__';

/** A folder with more is not the build of the console. */
const maxFiles = 2_000;
const maxBytes = 64 * 1024 * 1024;

/** Where `npm run build:console` writes, seen from the sources or from the build. */
export const consoleFolder = fileURLToPath(
  new URL(`${import.meta.url.includes('/dist/src/') ? '../../../' : '../../'}console/dist`, import.meta.url),
);

/**
 * Reads the built console into memory, so that a request reaches no other file, and a build at the
 * same time changes no answer. Ignores symbolic links. Undefined if there is no build. Throws if
 * the folder is larger than a build.
 */
export async function readBuiltConsole(folder: string): Promise<BuiltConsole | undefined> {
  const [page] = await readFiles(folder, (name) => name === 'index.html');
  if (!page) return undefined;
  const files = new Map(await readFiles(join(folder, 'assets'), () => true));
  const assets = new Map<string, Asset>();
  for (const [name, identity] of files) {
    const br = files.get(`${name}.br`);
    const gzip = files.get(`${name}.gz`);
    if (!/\.(br|gz)$/.test(name)) assets.set(name, { identity, ...(br && { br }), ...(gzip && { gzip }) });
  }
  return { page: page[1].toString('utf8').split(nonceMark), assets };
}

async function readFiles(folder: string, isWanted: (name: string) => boolean): Promise<[string, Buffer][]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isFile() && isWanted(entry.name)).map(({ name }) => name);
  if (names.length > maxFiles) throw new Error(`${folder} has more than ${maxFiles} files: it is not the console`);
  const files: [string, Buffer][] = [];
  let bytes = 0;
  for (const name of names) {
    const content = await readFile(join(folder, name));
    bytes += content.length;
    if (bytes > maxBytes) throw new Error(`${folder} has more than ${maxBytes} bytes: it is not the console`);
    files.push([name, content]);
  }
  return files;
}

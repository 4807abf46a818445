import { chmod, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { projectRoot } from './build.ts';

/** Modules find their files by their place, so each keeps the address that it has in the build. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return undefined;
    return { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null };
  },
};

const made = new Map<string, Promise<string>>();

/**
 * Writes modules of the built service, with all that they import, into few files, and answers their
 * folder. Most of what a process costs is to read two thousand modules, and tests start hundreds of
 * processes. A run makes each bundle once per worker at most; `name` tells them apart.
 */
export function bundle(name: string, modules: readonly string[]): Promise<string> {
  const bundled = made.get(name) ?? write(join(tmpdir(), `bundle-${name}`), modules);
  made.set(name, bundled);
  return bundled;
}

async function write(folder: string, modules: readonly string[]): Promise<string> {
  const exists = (): Promise<boolean> => stat(folder).then(Boolean, () => false);
  if (await exists()) return folder;
  const draft = await mkdtemp(`${folder}-`);
  const input = Object.fromEntries(modules.map((path) => [path, join(projectRoot, 'dist/src', `${path}.js`)]));
  const build = await rolldown({ input, platform: 'node', logLevel: 'silent', plugins: [ownPlaces] });
  await build.write({ dir: draft, format: 'esm', entryFileNames: '[name].js' });
  await build.close();
  await writeFile(join(draft, 'package.json'), '{"type":"module"}');
  await chmod(draft, 0o755);
  // Another worker may have been first.
  await rename(draft, folder).catch(async (error: unknown) => {
    if (!(await exists())) throw error;
    await rm(draft, { recursive: true });
  });
  return folder;
}

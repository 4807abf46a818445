import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Brings `dist` up to date, for tests that run the product in a process of its own. Quick when nothing changed. Whether
 * the types are right is checked elsewhere.
 */
export function ensureBuilt(): void {
  if (isBuilt) return;
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-b'], { cwd: projectRoot, encoding: 'utf8' });
  if (!existsSync(join(projectRoot, 'dist/src/engine/assembly/createEngine.js')))
    throw new Error(`the build failed:\n${stdout}`);
  isBuilt = true;
}

/** Sources do not change while a test file runs. */
let isBuilt = false;

/** The address of a built module, to import it from a child process. */
export const builtModule = (path: string): string => pathToFileURL(join(projectRoot, 'dist', path)).href;

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Builds the code that tests execute. Type errors are printed, and do not stop the tests. */
export function ensureBuilt(): void {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-b'], { cwd: projectRoot, encoding: 'utf8' });
  if (!existsSync(join(projectRoot, 'dist/src/main.js'))) throw new Error(`the build failed:\n${stdout}`);
  if (status !== 0) console.error(stdout);
}

/** The URL of a built module, for imports in a child process. */
export const builtModule = (path: string): string => pathToFileURL(join(projectRoot, 'dist', path)).href;

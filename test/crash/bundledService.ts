import { rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { projectRoot } from '../support/build.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
let bundled: Promise<string> | undefined;

/**
 * The URL of the built service in few files, for workers that `load` its modules. Most of what a
 * process costs is to read a thousand modules, and hundreds of processes die here.
 */
export function bundledService(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  const output = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
  process.once('exit', () => rmSync(output, { recursive: true, force: true }));
  const names = await loadedModules();
  const input = Object.fromEntries(names.map((name) => [name, join(projectRoot, 'dist/src', `${name}.js`)]));
  const build = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  await build.write({ dir: output, format: 'esm', entryFileNames: '[name].js' });
  await build.close();
  return pathToFileURL(`${output}/`).href;
}

/** The modules that the workers of this folder load, such as `engine/work/index`. */
async function loadedModules(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.mjs'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const names = texts.flatMap((text) => [...text.matchAll(/\bload\('([^']+)\.js'\)/g)].map(([, name = '']) => name));
  return [...new Set(names)];
}

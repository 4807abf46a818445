import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from '../support/bundle.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The URL of the built service in few files, for workers that `load` its modules. */
export async function bundledService(): Promise<string> {
  return pathToFileURL(`${await bundle('crash', await loadedModules())}/`).href;
}

/** The modules that the workers of this folder load, such as `engine/work/index`. */
async function loadedModules(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.mjs'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const names = texts.flatMap((text) => [...text.matchAll(/\bload\('([^']+)\.js'\)/g)].map(([, name = '']) => name));
  return [...new Set(names)];
}

// Writes `repository` into package.json: the public address from which the sources were cloned.
// `node repository.mjs add` before a package is made, `node repository.mjs remove` after it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const file = join(folder, 'package.json');
const line = /\n {2}"repository": .*/;

/** The address for package.json, without credentials. Undefined for a path of this machine. */
export function publicAddress(origin) {
  const short = /^[\w.-]+@([\w.-]+):(?!\/)(.+)$/.exec(origin);
  const [, host, path] = short ?? /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/]+)\/(.+)$/.exec(origin) ?? [];
  return host === undefined ? undefined : `git+https://${host}/${path.replace(/(\.git)?\/*$/, '')}.git`;
}

function originOfClone() {
  try {
    const args = ['-C', folder, 'config', '--get', 'remote.origin.url'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return ''; // No clone, or no git: the package names no repository.
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const manifest = readFileSync(file, 'utf8').replace(line, '');
  const url = process.argv[2] === 'add' ? publicAddress(originOfClone()) : undefined;
  const entry = JSON.stringify({ type: 'git', url, directory: 'sdk' });
  writeFileSync(file, url ? manifest.replace(/\n {2}"license": .*/, `$&\n  "repository": ${entry},`) : manifest);
}

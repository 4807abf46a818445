// Builds the package before `npm pack` and `npm publish`, so that neither ships a part of it. Fails
// if the package would not be complete.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const tsc = join(folder, '..', 'node_modules', 'typescript', 'bin', 'tsc');
const dist = join(folder, 'dist');

if (!existsSync(tsc)) fail('the compiler is missing: run `npm ci` in the root of the repository first');
// Standard output is the answer of `npm pack --json`.
const { status } = spawnSync(process.execPath, [tsc, '-b', '--force', folder], { stdio: ['ignore', 2, 2] });
if (status !== 0) fail('the sources do not compile');

// The compiler leaves what it built from sources that are gone.
for (const path of readdirSync(dist, { recursive: true })) {
  const source = join(folder, 'src', path.replace(/(\.d\.ts|\.js\.map|\.js)$/, '.ts'));
  if (/\.(js|map|ts)$/.test(path) && !existsSync(source)) rmSync(join(dist, path));
}

const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const files = Object.values(exports).flatMap((target) => (typeof target === 'string' ? target : Object.values(target)));
const missing = [...files, 'LICENSE', 'README.md'].filter((file) => !existsSync(join(folder, file)));
if (missing.length > 0) fail(`${missing.join(', ')} would be missing`);

function fail(reason) {
  console.error(`@holdfast/sdk cannot be packed: ${reason}.`);
  process.exit(1);
}

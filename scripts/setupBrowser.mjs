// `npm run setup:browser`: makes sure that the browser tests find a Chromium. Where there is none,
// it installs Debian's, as root or by sudo. Elsewhere it says what to do. In CI, as root, it also
// tries to add the headless shell to a whole browser: the tests take half as long in it.
import { spawnSync } from 'node:child_process';
import { findBrowser, shell } from './findBrowser.mjs';

/** Chromium, and a font: without one, pages are rows of boxes. */
const packages = ['chromium', 'fonts-dejavu-core', 'fonts-liberation'];

const isRoot = process.getuid?.() === 0;
const quiet = ['install', '--yes', '--quiet=2', '--no-install-recommends'];

const found = findBrowser() ?? install();
const chosen = process.env.CHROMIUM_PATH || found.endsWith(shell) ? found : withShell(found);
console.log(`The browser of the tests: ${chosen}`);

function install() {
  if (process.env.CHROMIUM_PATH) fail(`CHROMIUM_PATH names no program: ${process.env.CHROMIUM_PATH}`);
  if (!answers('apt-get', ['--version']))
    fail('There is no Chromium, and no apt-get: install Chromium, and set CHROMIUM_PATH to its program.');
  if (!isRoot && !answers('sudo', ['--non-interactive', 'true']))
    fail(`There is no Chromium. Install it as root: apt-get install ${packages.join(' ')}. Or set CHROMIUM_PATH.`);
  const prefix = isRoot ? [] : ['sudo', '--non-interactive'];
  console.error(`Installing ${packages.join(', ')}…`);
  // Lists of packages may be absent in an image, or old.
  run([...prefix, 'apt-get', 'update', '--quiet=2']);
  run([...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...quiet, ...packages]);
  const browser = findBrowser();
  if (!browser) fail('The package chromium has installed no program that the tests find: set CHROMIUM_PATH.');
  return browser;
}

/** The headless shell where it could be installed, else the browser that is there. */
function withShell(browser) {
  if (!process.env.CI || !isRoot || !answers('apt-get', ['--version'])) return browser;
  console.error(`Adding ${shell}…`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Where no archive answers, the whole browser does.
  const patience = ['-o', 'Acquire::http::Timeout=10', '-o', 'Acquire::Retries=0'];
  const add = () => spawnSync('apt-get', [...patience, ...quiet, shell], { stdio: 'ignore', env }).status === 0;
  if (!add() && answers('apt-get', [...patience, 'update', '--quiet=2'])) add();
  return findBrowser() ?? browser;
}

function answers(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function run([command, ...args]) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', process.stderr, 'inherit'] });
  if (status !== 0) fail(`${command} failed${error ? `: ${error.message}` : ` with ${status}`}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

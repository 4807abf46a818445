// `npm run setup:browser`: makes sure that the browser tests find a Chromium. Where there is none,
// it installs Debian's, as root or by sudo. Elsewhere it says what to do.
import { spawnSync } from 'node:child_process';
import { findBrowser } from './findBrowser.mjs';

/** Chromium, and a font: without one, pages are rows of boxes. */
const packages = ['chromium', 'fonts-dejavu-core', 'fonts-liberation'];

const found = findBrowser();
if (found) console.log(`The browser of the tests: ${found}`);
else if (process.env.CHROMIUM_PATH) fail(`CHROMIUM_PATH names no program: ${process.env.CHROMIUM_PATH}`);
else install();

function install() {
  if (!answers('apt-get', ['--version']))
    fail('There is no Chromium, and no apt-get: install Chromium, and set CHROMIUM_PATH to its program.');
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !answers('sudo', ['--non-interactive', 'true']))
    fail(`There is no Chromium. Install it as root: apt-get install ${packages.join(' ')}. Or set CHROMIUM_PATH.`);
  const prefix = isRoot ? [] : ['sudo', '--non-interactive'];
  console.error(`Installing ${packages.join(', ')}…`);
  // Lists of packages may be absent in an image, or old.
  run([...prefix, 'apt-get', 'update', '--quiet=2']);
  run([
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    'install',
    '--yes',
    '--quiet=2',
    '--no-install-recommends',
    ...packages,
  ]);
  const browser = findBrowser();
  if (!browser) fail('The package chromium has installed no program that the tests find: set CHROMIUM_PATH.');
  console.log(`The browser of the tests: ${browser}`);
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

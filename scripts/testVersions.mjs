// `npm run test:versions`: tries the first commands of a newcomer with other versions of Node and
// npm, each in a clone of its own. Arguments:
//   --only 22,26     majors of Node; default: all supported ones, and the oldest supported release
//   --quick          only `npm run demo`, without the tests
// Uses the last commit, without uncommitted changes. Settings of the calling shell, such as
// RANDOM_COUNT, apply. Ends with 1 if anything failed, or if npm warned of an engine.
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './setup.mjs';

/** Together these include each supported npm. */
const supported = [
  { node: '20.19.6', npm: '10.9.9' },
  { node: '22.23.3', npm: '10.9.9' },
  { node: '24.21.0', npm: '11.21.2' },
  { node: '26.10.0', npm: '12.2.0' },
];

const { values: given } = parseArgs({ options: { only: { type: 'string' }, quick: { type: 'boolean' } } });
const majors = given.only?.split(',') ?? supported.map(majorOf);
const unknown = majors.filter((major) => !supported.some((each) => majorOf(each) === major));
if (unknown.length > 0) {
  console.error(`--only: no such version: ${unknown.join(', ')}; there are ${supported.map(majorOf).join(', ')}`);
  process.exit(1);
}

function majorOf({ node }) {
  return node.split('.')[0];
}

const failures = supported.filter((each) => majors.includes(majorOf(each))).flatMap(tryVersions);
for (const failure of failures) console.error(failure);
process.exit(failures.length === 0 ? 0 : 1);

/** Lists the failures with a pair of versions. */
function tryVersions({ node, npm }) {
  const name = `Node ${node}, npm ${npm}`;
  const directory = mkdtempSync(join(tmpdir(), `holdfast-node-${node}-`));
  // Some tests run as another user.
  chmodSync(directory, 0o755);
  const logs = join(root, '.cache', 'versions');
  mkdirSync(logs, { recursive: true });
  const logFile = join(logs, `${node}.log`);
  const tools = join(directory, 'tools');
  const clone = join(directory, 'clone');
  mkdirSync(tools);
  rmSync(logFile, { force: true });
  const run = (command, args, { cwd = directory, path = process.env.PATH } = {}) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd,
      env: { ...process.env, PATH: path },
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
    appendFileSync(logFile, `$ ${command} ${args.join(' ')}\n${stdout}${stderr}${error ?? ''}\n`);
    return { isDone: status === 0, output: `${stdout}${stderr}` };
  };
  const path = [join(tools, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const inClone = (command) => run('npm', command.split(' '), { cwd: clone, path });
  try {
    const prepared =
      run('npm', ['install', '--prefix', tools, '--no-audit', '--no-fund', `node@${node}`, `npm@${npm}`]).isDone &&
      run('git', ['clone', '--quiet', root, clone]).isDone;
    if (!prepared) return [`${name}: could not be prepared, see ${logFile}`];
    const isThere = run('node', ['--version'], { path }).output.trim() === `v${node}`;
    if (!isThere) return [`${name}: another Node runs, see ${logFile}`];
    const failed = [];
    const installed = inClone('ci --no-audit --no-fund');
    if (!installed.isDone) failed.push('npm ci');
    if (installed.output.includes('EBADENGINE')) failed.push('npm ci warns of an engine');
    for (const command of given.quick ? ['run demo'] : ['run demo', 'run test:full'])
      if (!inClone(command).isDone) failed.push(`npm ${command}`);
    console.log(`${name}: ${failed.length === 0 ? 'passed' : `failed: ${failed.join(', ')}`}`);
    return failed.map((command) => `${name}: ${command}, see ${logFile}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

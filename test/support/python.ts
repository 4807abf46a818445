import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './build.ts';

const folder = join(projectRoot, '.cache', 'python');
const binOf = (environment: string): string => join(environment, process.platform === 'win32' ? 'Scripts' : 'bin');

/**
 * The folder with the programs of a Python environment that has these requirements. Makes it at the
 * first call. Undefined, with a line in the log, without Python 3.10, pip or a package.
 */
export function pythonPrograms(requirements: string): string | undefined {
  const name = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const environment = join(folder, name);
  // Written last. An environment cannot be moved: its programs know where it is.
  const complete = join(environment, 'complete');
  if (existsSync(complete)) return binOf(environment);
  const failure =
    failureOf('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']) ??
    failureOf('python3', ['-m', 'venv', '--clear', environment]) ??
    failureOf(join(binOf(environment), 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', requirements]);
  if (failure === undefined) writeFileSync(complete, '');
  else console.warn(`skipped without Python 3.10, pip or a package: ${failure}`);
  return failure === undefined ? binOf(environment) : undefined;
}

/** The failure of a command in one text; undefined if it succeeded. */
function failureOf(command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 300_000 });
  return status === 0 ? undefined : `${command} ${args.join(' ')}: ${error?.message ?? stderr.slice(-500)}`;
}

import { type ExecFileOptions, execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../support/build.ts';

export interface Packed extends AsyncDisposable {
  /** A user's folder, with the package in its `node_modules`. */
  readonly folder: string;
  /** Where the package is. */
  readonly library: string;
  readonly tarball: string;
}

/** Packs the SDK, and installs it into a new folder outside of this repository. */
export async function packSdk(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-package-'));
  const packed = await call('npm', ['pack', '--pack-destination', folder], { cwd: join(projectRoot, 'sdk') });
  const [name] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
  if (packed.code !== 0 || name === undefined) throw new Error(`npm pack failed: ${packed.output}`);
  const tarball = join(folder, name);
  const library = join(folder, 'node_modules', '@holdfast', 'sdk');
  await mkdir(library, { recursive: true });
  await call('tar', ['-xzf', tarball, '-C', library, '--strip-components=1']);
  await mkdir(join(folder, 'node_modules', '@types'));
  for (const dependency of ['ws', '@types/node', 'undici-types', 'zod']) {
    await symlink(join(projectRoot, 'node_modules', dependency), join(folder, 'node_modules', dependency));
  }
  return { folder, library, tarball, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Runs a command to its end. */
export function call(
  command: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { encoding: 'utf8', ...options }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}${stderr}` });
    });
  });
}

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../support/build.ts';

/** A build of an earlier commit, or why there is none. */
export type FormerBuild = { directory: string; commit: string } | { missing: string };

/**
 * The commit that FAULTS_FORMER names, else the last one before the newest migration, so that both
 * builds know different schemas. Commits of merged branches do not count: nobody ran them. A clone
 * without its history has none.
 */
export function findFormer(): { commit: string } | { missing: string } {
  const named = process.env['FAULTS_FORMER'];
  const newest = git('rev-list', '-1', '--first-parent', 'HEAD', '--', 'prisma/migrations').stdout.trim();
  if (named === undefined && newest === '') return { missing: 'this is no clone' };
  const { status, stdout } = git('rev-parse', '--verify', '--quiet', `${named ?? `${newest}^`}^{commit}`);
  if (status !== 0) return { missing: `the history of this clone does not reach ${named ?? `beyond ${newest}`}` };
  return { commit: stdout.trim() };
}

/** Builds it once, with the packages of this clone where those fit. */
export function buildFormer(commit: string): string {
  const directory = join(projectRoot, '.cache', 'builds', commit);
  if (existsSync(join(directory, 'dist', '.stamp'))) return directory;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const archive = join(directory, 'sources.tar');
  demand(git('archive', '--output', archive, commit), 'git archive');
  demand(spawnSync('tar', ['-xf', archive, '-C', directory], { encoding: 'utf8' }), 'tar');
  rmSync(archive);
  lendPackages(directory);
  const setUp = "await import('./scripts/setup.mjs').then(({ setUp }) => setUp())";
  const args = ['--input-type=module', '--eval', setUp];
  demand(spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8' }), 'the build');
  return directory;
}

/** Everything but what belongs to the project itself. */
function lendPackages(directory: string): void {
  const [from, to] = [join(projectRoot, 'node_modules'), join(directory, 'node_modules')];
  mkdirSync(join(to, '@holdfast'), { recursive: true });
  symlinkSync(join('..', '..', 'sdk'), join(to, '@holdfast', 'sdk'));
  for (const name of readdirSync(from)) if (name !== '@holdfast') symlinkSync(join(from, name), join(to, name));
}

const git = (...args: string[]): SpawnSyncReturns<string> =>
  spawnSync('git', args, { cwd: projectRoot, encoding: 'utf8' });

function demand({ status, stderr, error }: SpawnSyncReturns<string>, what: string): void {
  if (status !== 0) throw new Error(`${what} failed: ${error?.message ?? stderr}`);
}

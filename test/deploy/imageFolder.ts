import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from '../support/build.ts';

/** What `deploy/Dockerfile` makes, in a folder instead of an image. */
export interface Image {
  /** The working directory of the last stage. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage {
  root: string;
  folder: string;
  env: Record<string, string>;
  command: readonly string[];
  healthcheck: readonly string[];
}

/**
 * Follows the Dockerfile without Docker: each stage is a folder of `home`, and each `RUN` a shell
 * in it. The base image is this machine.
 */
export function buildImage(home: string): Image {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [keyword, rest] of instructions()) {
    if (keyword === 'FROM') {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'last';
      stage = { root: join(home, name), folder: join(home, name), env: {}, command: [], healthcheck: [] };
      stages.set(name, stage);
    } else if (stage !== undefined) follow(stage, stages, keyword, rest);
  }
  if (stage === undefined) throw new Error('the Dockerfile has no stage');
  return stage;
}

/** The instructions of the file, each as a keyword and the rest. */
function instructions(): [string, string][] {
  const text = readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8');
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  return lines.filter(Boolean).map((line) => {
    const [, keyword = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    return [keyword, rest];
  });
}

function follow(stage: Stage, stages: ReadonlyMap<string, Stage>, keyword: string, rest: string): void {
  switch (keyword) {
    case 'WORKDIR':
      stage.folder = join(stage.root, rest);
      mkdirSync(stage.folder, { recursive: true });
      return;
    case 'COPY':
      copy(stage, stages, rest);
      return;
    case 'RUN':
      run(stage, rest.replace(/^(--mount=\S+\s+)+/, ''));
      return;
    case 'ENV':
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
      return;
    case 'CMD':
      stage.command = JSON.parse(rest);
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4));
      return;
    case 'EXPOSE':
    case 'USER':
      return;
    default:
      throw new Error(`the test does not know ${keyword}`);
  }
}

function copy({ folder }: Stage, stages: ReadonlyMap<string, Stage>, rest: string): void {
  const [, from, source = '', target = ''] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(rest) ?? [];
  if (from === undefined) {
    copyClone(folder);
    return;
  }
  const path = join(stages.get(from)?.root ?? '', source);
  const name = target.endsWith('/') ? basename(path) : '';
  cpSync(path, join(folder, target, name), { recursive: true, verbatimSymlinks: true });
}

/** The context of the build: the files of a clone. */
function copyClone(folder: string): void {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', list, { cwd: projectRoot, encoding: 'utf8' }).split('\0');
  for (const file of files.filter((each) => each !== '' && existsSync(join(projectRoot, each))))
    cpSync(join(projectRoot, file), join(folder, file), { recursive: true });
}

function run({ folder }: Stage, command: string): void {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, npm_config_prefer_offline: 'true' };
  execFileSync('sh', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
}

import { Command } from 'commander';
import { createProject, listProjects, type Project, updateProject } from '../engine/projects/index.ts';
import { CliError } from './cliError.ts';
import { withEngine } from './connect.ts';
import { commandOf } from './options.ts';
import { findProject } from './projectOption.ts';
import { print, shortTime, type Terminal, table } from './terminal.ts';

interface Json {
  json?: boolean;
}

interface CreateOptions extends Json {
  ceiling: string;
}

interface UpdateOptions extends Json {
  name?: string;
  ceiling?: string;
  suspend?: boolean;
  resume?: boolean;
}

export function projectsCommand(terminal: Terminal): Command {
  const createCommand = commandOf('create', 'create a project')
    .argument('<name>', 'its name, unique in the service')
    .option('--ceiling <n>', 'runs that may execute at once; 0 is unlimited', '0')
    .action((name: string, options: CreateOptions) => create(terminal, name, options));
  const listCommand = commandOf('list', 'list projects, oldest first')
    .option('--limit <n>', 'how many projects', '100')
    .action((options: Json & { limit: string }) => list(terminal, options));
  const updateCommand = commandOf('update', 'rename, limit, suspend or resume a project')
    .argument('<project>', 'its id or name')
    .option('--name <name>', 'a new name')
    .option('--ceiling <n>', 'runs that may execute at once; 0 is unlimited')
    .option('--suspend', 'start no more runs')
    .option('--resume', 'start runs again')
    .action((ref: string, options: UpdateOptions) => update(terminal, ref, options));
  return new Command('projects')
    .description('create, list and change projects')
    .addCommand(createCommand)
    .addCommand(listCommand)
    .addCommand(updateCommand);
}

const create = (terminal: Terminal, name: string, options: CreateOptions): Promise<void> =>
  withEngine(terminal, { prepare: true }, async (engine) => {
    const project = await createProject(engine, { name, concurrencyCeiling: wholeNumber(options.ceiling) });
    print(terminal, options, { project }, describe(project));
  });

const list = (terminal: Terminal, options: Json & { limit: string }): Promise<void> =>
  withEngine(terminal, { prepare: true }, async (engine) => {
    const found = await listProjects(engine, { limit: wholeNumber(options.limit) });
    const rows = found.map((project) => [
      project.id,
      project.name,
      ceilingOf(project),
      project.suspended ? 'suspended' : 'active',
      shortTime(project.createdAt),
    ]);
    print(terminal, options, found, table(['ID', 'NAME', 'CEILING', 'STATE', 'CREATED'], rows));
  });

const update = async (terminal: Terminal, ref: string, options: UpdateOptions): Promise<void> => {
  const { name, ceiling, suspend, resume } = options;
  if (suspend && resume) throw new CliError('--suspend and --resume exclude each other');
  if (name === undefined && ceiling === undefined && !suspend && !resume) {
    throw new CliError('nothing to change: give --name, --ceiling, --suspend or --resume');
  }
  await withEngine(terminal, { prepare: true }, async (engine) => {
    const { id } = await findProject(engine, ref);
    const project = await updateProject(engine, {
      id,
      name,
      concurrencyCeiling: ceiling === undefined ? undefined : wholeNumber(ceiling),
      suspended: suspend ? true : resume ? false : undefined,
    });
    print(terminal, options, { project }, describe(project));
  });
};

/** Text that is no number becomes NaN. The engine refuses it, and names the field. */
const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

const ceilingOf = ({ concurrencyCeiling }: Project): string =>
  concurrencyCeiling === 0 ? 'unlimited' : String(concurrencyCeiling);

const describe = (project: Project): string =>
  [
    project.name,
    '',
    `  id       ${project.id}`,
    `  ceiling  ${ceilingOf(project)}`,
    `  state    ${project.suspended ? 'suspended' : 'active'}`,
  ].join('\n');

import { Command, Option } from 'commander';
import { type ApiKey, createApiKey, type IssuedKey, listApiKeys, revokeApiKey } from '../engine/keys/index.ts';
import { listProjects, type Project } from '../engine/projects/index.ts';
import { withEngine } from './connect.ts';
import { parseExpiry } from './duration.ts';
import { commandOf } from './options.ts';
import { findProject } from './projectOption.ts';
import { print, shortTime, type Terminal, table } from './terminal.ts';

interface CreateOptions {
  project?: string;
  name: string;
  kind: ApiKey['kind'];
  expires?: string;
  json?: boolean;
}

interface ListOptions {
  project?: string;
  limit: string;
  json?: boolean;
}

const kinds = ['secret', 'public', 'platform'] satisfies ApiKey['kind'][];

export function keysCommand(terminal: Terminal): Command {
  const createCommand = commandOf('create', 'create a key, and show it once')
    .option('--project <id or name>', 'the project of the key; default: "default", for platform keys all projects')
    .requiredOption('--name <name>', 'what the key is for; shown in the audit log')
    .addOption(
      new Option(
        '--kind <kind>',
        'secret: reads and writes; public: reads; platform: acts for the project that each call names',
      )
        .choices(kinds)
        .default('secret'),
    )
    .option('--expires <time>', 'a time from now (30d) or a timestamp; never by default')
    .action((options: CreateOptions) => create(terminal, options));
  const listCommand = commandOf('list', 'list keys, newest first, with revoked ones')
    .option('--project <id or name>', 'only keys of this project')
    .option('--limit <n>', 'how many keys', '100')
    .action((options: ListOptions) => list(terminal, options));
  const revokeCommand = commandOf('revoke', 'revoke a key for good; its streams and sockets close within seconds')
    .argument('<id>', 'the id of the key, as "keys list" shows it')
    .action((id: string, options: { json?: boolean }) => revoke(terminal, id, options));
  return new Command('keys')
    .description('create, list and revoke API keys')
    .addCommand(createCommand)
    .addCommand(listCommand)
    .addCommand(revokeCommand);
}

const create = (terminal: Terminal, options: CreateOptions): Promise<void> =>
  withEngine(terminal, { prepare: true }, async (engine) => {
    const { name, kind, expires } = options;
    const expiresAt = expires === undefined ? undefined : parseExpiry('--expires', expires, engine.clock.now());
    const isUnbound = kind === 'platform' && options.project === undefined;
    const project = isUnbound ? undefined : await findProject(engine, options.project ?? 'default');
    const issued = await createApiKey(engine, { projectId: project?.id, name, kind, expiresAt });
    print(terminal, options, issued, describeIssued(issued, project));
  });

function describeIssued({ apiKey, token }: IssuedKey, project: Project | undefined): string {
  const lines = [
    ['id', apiKey.id],
    ['kind', apiKey.kind],
    ['project', project?.name ?? 'the one that each call names in X-Service-Project'],
    ['expires', apiKey.expiresAt?.toISOString() ?? 'never'],
  ];
  const facts = lines.map(([name = '', value]) => `  ${name.padEnd(9)}${value}`).join('\n');
  return `${token}\n\n${facts}\n\nThe key is not stored and cannot be shown again: keep it now.`;
}

const list = (terminal: Terminal, options: ListOptions): Promise<void> =>
  withEngine(terminal, { prepare: true }, async (engine) => {
    const project = options.project === undefined ? undefined : await findProject(engine, options.project);
    const found = await listApiKeys(engine, { projectId: project?.id, limit: Number(options.limit) });
    const names = new Map((await listProjects(engine, { limit: 1000 })).map(({ id, name }) => [id, name]));
    const now = engine.clock.now();
    const rows = found.map((key) => [
      key.id,
      key.name,
      key.kind,
      key.projectId === null ? 'any' : (names.get(key.projectId) ?? key.projectId),
      key.hint,
      stateOf(key, now),
      shortTime(key.lastUsedAt),
    ]);
    print(terminal, options, found, table(['ID', 'NAME', 'KIND', 'PROJECT', 'KEY', 'STATE', 'LAST USED'], rows));
  });

function stateOf({ revokedAt, expiresAt }: ApiKey, now: Date): string {
  if (revokedAt) return `revoked ${shortTime(revokedAt)}`;
  if (!expiresAt) return 'valid';
  return `${expiresAt <= now ? 'expired' : 'until'} ${shortTime(expiresAt)}`;
}

const revoke = (terminal: Terminal, id: string, options: { json?: boolean }): Promise<void> =>
  withEngine(terminal, { prepare: true }, async (engine) => {
    const apiKey = await revokeApiKey(engine, { id });
    print(terminal, options, { apiKey }, `revoked ${apiKey.name} (${apiKey.hint})`);
  });

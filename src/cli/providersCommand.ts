import { text as readAll } from 'node:stream/consumers';
import { Command } from 'commander';
import {
  checkProvider,
  listProviderKeys,
  type ProviderCheck,
  removeProviderKey,
  setProviderKey,
} from '../engine/inference/index.ts';
import { CliError } from './cliError.ts';
import { type ConnectOptions, withEngine } from './connect.ts';
import { commandOf } from './options.ts';
import { findProject } from './projectOption.ts';
import { print, printable, shortTime, type Terminal, table } from './terminal.ts';

interface Options {
  project: string;
  json?: boolean;
}

interface SetOptions extends Options {
  baseUrl?: string;
  keyEnv?: string;
}

/** `holdfast providers`. Calls `onFindings` if a check fails. */
export function providersCommand(terminal: Terminal, onFindings: () => void): Command {
  const projectOption = ['--project <id or name>', 'the project of the key', 'default'] as const;
  const listCommand = commandOf('list', 'list the keys that serve a project, never the keys themselves')
    .option(...projectOption)
    .action((options: Options) => list(terminal, options));
  const setCommand = commandOf('set', 'set a key, read from standard input or from an environment variable')
    .argument('<provider>', 'anthropic, openai, or another name')
    .option(...projectOption)
    .option('--key-env <name>', 'the environment variable that holds the key; default: standard input')
    .option('--base-url <url>', 'where the provider is; required unless it is anthropic or openai')
    .action((provider: string, options: SetOptions) => set(terminal, provider, options));
  const removeCommand = commandOf('remove', 'remove a key; calls then use that of the settings, if there is one')
    .argument('<provider>', 'the provider of the key')
    .option(...projectOption)
    .action((provider: string, options: Options) => remove(terminal, provider, options));
  const checkCommand = commandOf('check', 'list the models of a provider once, which costs nothing')
    .argument('<provider>', 'the provider to check')
    .option(...projectOption)
    .action((provider: string, options: Options) => check(terminal, provider, { options, onFindings }));
  return new Command('providers')
    .description("manage keys of model providers; keys of the settings are those of this command's environment")
    .addCommand(listCommand)
    .addCommand(setCommand)
    .addCommand(removeCommand)
    .addCommand(checkCommand);
}

/** A key needs a project, and the service's operator key: a new database has neither. */
const existing: ConnectOptions = { prepare: true, create: false };

const list = (terminal: Terminal, options: Options): Promise<void> =>
  withEngine(terminal, existing, async (engine) => {
    const { id } = await findProject(engine, options.project);
    const keys = await listProviderKeys(engine, id);
    const rows = keys.map((key) => [
      key.provider,
      key.source,
      key.lastFour === null ? '' : `…${key.lastFour}`,
      key.baseUrl ?? '',
      shortTime(key.lastUsedAt),
      shortTime(key.lastRefusedAt),
      key.lastRefusal ?? '',
    ]);
    const headings = ['PROVIDER', 'SOURCE', 'KEY', 'BASE URL', 'LAST USED', 'LAST REFUSED', 'REFUSAL'];
    print(terminal, options, keys, table(headings, rows));
  });

const withoutOperatorKey =
  'no operator key to seal the key with: set OPERATOR_KEY, or DATA_DIR to the folder with the keys.json of the service';

const set = (terminal: Terminal, provider: string, options: SetOptions): Promise<void> =>
  withEngine(terminal, existing, async (engine) => {
    const { id: projectId, name } = await findProject(engine, options.project);
    if (engine.settings.operatorKey === '') throw new CliError(withoutOperatorKey);
    const apiKey = await readKey(terminal, options);
    await setProviderKey(engine, { projectId, provider, apiKey, baseUrl: options.baseUrl });
    print(terminal, options, { projectId, provider }, `set the key of ${printable(provider)} for ${printable(name)}`);
  });

/**
 * The key. Arguments stay in the history of a shell and in lists of processes, so they hold none.
 */
async function readKey({ env, input }: Terminal, { keyEnv }: SetOptions): Promise<string> {
  if (keyEnv !== undefined) {
    const key = env[keyEnv]?.trim();
    if (!key) throw new CliError(`the environment variable ${keyEnv} is empty`);
    return key;
  }
  const key = input && (await readAll(input)).trim();
  if (!key) throw new CliError('there is no key on standard input: pipe it in, or name a variable with --key-env');
  return key;
}

const remove = (terminal: Terminal, provider: string, options: Options): Promise<void> =>
  withEngine(terminal, existing, async (engine) => {
    const { id: projectId, name } = await findProject(engine, options.project);
    await removeProviderKey(engine, { projectId, provider });
    const said = `removed the key of ${printable(provider)} from ${printable(name)}`;
    print(terminal, options, { projectId, provider }, said);
  });

const check = (
  terminal: Terminal,
  provider: string,
  { options, onFindings }: { options: Options; onFindings: () => void },
): Promise<void> =>
  withEngine(terminal, existing, async (engine) => {
    const { id: projectId } = await findProject(engine, options.project);
    const done = await checkProvider(engine, { projectId, provider });
    print(terminal, options, done, described(done));
    if (!done.ok) onFindings();
  });

const described = ({ provider, ok, latencyMs, error = '' }: ProviderCheck): string =>
  `${printable(provider)} ${ok ? 'takes the key' : `does not take the key: ${printable(error)}`} (${latencyMs} ms)`;

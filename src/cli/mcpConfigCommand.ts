import { Command, InvalidArgumentError, Option } from 'commander';
import { parseKey } from '../engine/keys/index.ts';
import { readKeys } from '../keysFile.ts';
import { toolsets as known } from '../mcp/index.ts';
import { loadSettings } from '../settings.ts';
import { CliError } from './cliError.ts';
import { type McpAddress, type McpClientName, mcpClients, mcpConfig } from './mcpConfig.ts';
import type { Terminal } from './terminal.ts';

interface Options {
  client: McpClientName;
  secret?: boolean;
  toolsets?: string;
  readonly?: boolean;
}

const help = `
The configuration goes to standard output, and the place for it to standard error. The address and the key are those of
keys.json in DATA_DIR (.holdfast), or of HOLDFAST_URL and HOLDFAST_API_KEY.`;

/** `holdfast mcp-config`. */
export const mcpConfigCommand = (terminal: Terminal): Command =>
  new Command('mcp-config')
    .description('print the configuration with which an agent uses the tools of the service')
    .addOption(
      new Option('--client <name>', 'the program that runs the agent')
        .choices(Object.keys(mcpClients))
        .makeOptionMandatory(),
    )
    .option('--secret', 'with the secret key, which may change runs; default: the public key, which only reads')
    .option('--toolsets <list>', 'comma list of the toolsets to offer, or all', toolsetList)
    .option('--readonly', 'offer no tools that write')
    .addHelpText('after', help)
    .action(async ({ client, ...options }: Options) => {
      const address = await findAddress(terminal, options);
      const { file } = mcpClients[client];
      terminal.out(mcpConfig(client, address));
      terminal.err(
        options.secret
          ? `Put this into ${file}. It holds a secret key: keep the file out of repositories.\n`
          : `Put this into ${file}. Its key is public and only reads.\n`,
      );
    });

function toolsetList(text: string): string {
  if (text === 'all' || text.split(',').every((word) => known.some((each) => each === word))) return text;
  throw new InvalidArgumentError(`It must be a comma list of ${known.join(', ')}, or all.`);
}

async function findAddress(
  { env }: Terminal,
  { secret, toolsets, readonly }: Omit<Options, 'client'>,
): Promise<McpAddress> {
  const { dataDir } = loadSettings({ DATA_DIR: env['DATA_DIR'] });
  const given = { url: env['HOLDFAST_URL'] || undefined, key: env['HOLDFAST_API_KEY'] || undefined };
  const kept = given.url !== undefined && given.key !== undefined ? undefined : await readKeys(dataDir);
  const url = (given.url ?? kept?.baseUrl)?.replace(/\/+$/, '');
  if (url === undefined || (!kept && given.key === undefined)) {
    throw new CliError(
      `there is no keys.json in ${dataDir}: start the service with "npm start", or set HOLDFAST_URL and HOLDFAST_API_KEY`,
    );
  }
  if (given.key === undefined && url !== kept?.baseUrl)
    throw new CliError(`the keys in ${dataDir} are for ${kept?.baseUrl}: set HOLDFAST_API_KEY for ${url}`);
  const key = given.key === undefined ? (secret ? kept?.secretKey : kept?.publicKey) : checkedKey(given.key, secret);
  const search = [...(toolsets === undefined ? [] : [`toolsets=${toolsets}`]), ...(readonly ? ['readonly=1'] : [])];
  return { url: `${url}/mcp${search.length > 0 ? `?${search.join('&')}` : ''}`, key: key ?? '' };
}

/** A key that was given, if it is of the kind that was asked for. */
function checkedKey(key: string, wantsSecret = false): string {
  const kind = parseKey(key);
  if (kind === (wantsSecret ? 'secret' : 'public')) return key;
  if (kind === 'secret')
    throw new CliError('HOLDFAST_API_KEY is a secret key: pass --secret to print it, or set a public key');
  throw new CliError(`HOLDFAST_API_KEY must be a ${wantsSecret ? 'secret' : 'public or, with --secret, a secret'} key`);
}

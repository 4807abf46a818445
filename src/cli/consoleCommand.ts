import type { Command } from 'commander';
import { z } from 'zod';
import { CliError } from './cliError.ts';
import { commandOf } from './options.ts';
import { findService, Refusal, type ServiceClient } from './service.ts';
import { print, type Terminal } from './terminal.ts';

interface Options {
  print?: boolean;
  json?: boolean;
}

export function consoleCommand(terminal: Terminal): Command {
  return commandOf('console', 'open the web console in the browser, signed in')
    .option('--print', 'print the address instead of opening it; it signs in once, within a minute')
    .action((options: Options) => openConsole(terminal, options));
}

const issued = z.object({ code: z.string(), expiresAt: z.string() });

async function openConsole(terminal: Terminal, options: Options): Promise<void> {
  const service = await findService(terminal);
  const { code, expiresAt } = await askForCode(service);
  // Browsers send the part after `#` to no server.
  const address = `${service.baseUrl}/console/#code=${code}`;
  if (options.print || options.json) print(terminal, options, { url: address, expiresAt }, address);
  else if (await terminal.browse?.(address)) terminal.out(`opened ${service.baseUrl}/console/ in the browser\n`);
  else terminal.out(`no browser opened. This address signs in once, within a minute:\n${address}\n`);
}

async function askForCode(service: ServiceClient): Promise<z.output<typeof issued>> {
  try {
    return issued.parse(JSON.parse((await service.post('/console/codes')).text));
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    throw new CliError(
      `the service at ${service.baseUrl} serves no console: CONSOLE is off, or it is an older version`,
    );
  }
}

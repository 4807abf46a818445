import { Command, CommanderError } from 'commander';
import { explain } from './cliError.ts';
import { consoleCommand } from './consoleCommand.ts';
import { doctorCommand } from './doctorCommand.ts';
import { eventsCommand } from './eventsCommand.ts';
import { keysCommand } from './keysCommand.ts';
import { listenCommand } from './listenCommand.ts';
import { mcpConfigCommand } from './mcpConfigCommand.ts';
import { projectsCommand } from './projectsCommand.ts';
import { providersCommand } from './providersCommand.ts';
import { runsCommand } from './runsCommand.ts';
import { secretsCommand } from './secretsCommand.ts';
import type { Terminal } from './terminal.ts';
import { webhooksCommand } from './webhooksCommand.ts';
import { triggerCommand, workflowsCommand } from './workflowsCommand.ts';

/**
 * Runs one command of `holdfast`. Resolves with the exit code: 0 for success, 1 for a failure or
 * for findings of the doctor. `args` are the arguments after the program's name.
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = createProgram(terminal, () => {
    code = 1;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed the error.
    if (error instanceof CommanderError) return error.exitCode;
    terminal.err(`holdfast: ${explain(error)}\n`);
    return 1;
  }
}

const help = `
runs, events, trigger, workflows, webhooks, listen and console ask the running service: that of HOLDFAST_URL and HOLDFAST_API_KEY,
else that of keys.json in DATA_DIR (.holdfast). mcp-config asks nothing, and prints the same address. keys, projects, providers, secrets and doctor use its database, be it running or not: that of
DATABASE_URL, else the embedded one in DATA_DIR.`;

/** The whole command line. `onFindings` is called when a check found something. */
export function createProgram(terminal: Terminal, onFindings: () => void): Command {
  const program = new Command('holdfast')
    .description('Uses and administers a Holdfast service.')
    .addHelpText('after', help)
    .addCommand(runsCommand(terminal))
    .addCommand(eventsCommand(terminal))
    .addCommand(triggerCommand(terminal))
    .addCommand(workflowsCommand(terminal))
    .addCommand(webhooksCommand(terminal))
    .addCommand(listenCommand(terminal))
    .addCommand(consoleCommand(terminal))
    .addCommand(mcpConfigCommand(terminal))
    .addCommand(keysCommand(terminal))
    .addCommand(projectsCommand(terminal))
    .addCommand(providersCommand(terminal, onFindings))
    .addCommand(secretsCommand(terminal, onFindings))
    .addCommand(doctorCommand(terminal, onFindings));
  for (const command of withDescendants(program)) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
      .showHelpAfterError('(add --help for details)');
  }
  return program;
}

const withDescendants = (command: Command): Command[] => [command, ...command.commands.flatMap(withDescendants)];

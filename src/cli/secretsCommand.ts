import { Command } from 'commander';
import { type Resealed, resealForeign } from '../engine/secrets/index.ts';
import { readFormerOperatorKeys } from '../keysFile.ts';
import { CliError } from './cliError.ts';
import { withEngine } from './connect.ts';
import { commandOf } from './options.ts';
import { print, printable, type Terminal } from './terminal.ts';

/** `holdfast secrets`. Calls `onFindings` if a secret stays that no key opens. */
export function secretsCommand(terminal: Terminal, onFindings: () => void): Command {
  const resealCommand = commandOf(
    'reseal',
    'seal all secrets under OPERATOR_KEY that were sealed under a key of OPERATOR_KEY_FORMER; the service may run',
  ).action((options: { json?: boolean }) => reseal(terminal, options, onFindings));
  return new Command('secrets').description('seal the secrets of the database again').addCommand(resealCommand);
}

const reseal = (terminal: Terminal, options: { json?: boolean }, onFindings: () => void): Promise<void> =>
  withEngine(terminal, { prepare: false }, async (engine, { isProduction, dataDir }) => {
    if (engine.settings.operatorKey === '') {
      throw new CliError('there is no operator key yet: set OPERATOR_KEY, or start the service first');
    }
    const done = await resealForeign(engine, isProduction ? [] : await readFormerOperatorKeys(dataDir));
    print(terminal, options, done, describe(done));
    if (done.unreadable > 0) onFindings();
  });

function describe({ resealed, unreadable, examples }: Resealed): string {
  const lines = [`Sealed ${count(resealed)} again.`];
  if (unreadable === 0) lines.push('All secrets are sealed under the present operator key.');
  else lines.push(`${count(unreadable)} cannot be opened by the keys that are given:`);
  for (const { projectId, kind, name } of examples) lines.push(`  ${kind} ${printable(name)} of project ${projectId}`);
  if (unreadable > examples.length) lines.push('  … and more');
  return lines.join('\n');
}

const count = (secrets: number): string => `${secrets} secret${secrets === 1 ? '' : 's'}`;

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/runCli.ts';
import { projectRoot } from '../support/build.ts';
import { blocksOf, pages } from './pages.ts';

const program = createProgram({ env: {}, out: () => {}, err: () => {} }, () => {});
/** Options of other programs, and of every command. */
const foreign = new Set(['--help', '--header', '--mode']);

/** The scripts of the package, or of a workspace. */
const scriptsOf = (folder = '.'): Record<string, string> =>
  JSON.parse(readFileSync(join(projectRoot, folder, 'package.json'), 'utf8')).scripts;

/** The words of every command that begins with `start`, in blocks of a shell and in code spans. */
function commandsOf(start: string): { at: string; words: string[] }[] {
  const blocks = blocksOf('sh').flatMap(({ at, code }) => linesOf(code).map((line) => ({ at, line })));
  const spans = pages.flatMap(({ path, spans: all }) => all.map((line) => ({ at: path, line })));
  return [...blocks, ...spans].flatMap(({ at, line }) =>
    partsOf(line)
      .filter((part) => part.startsWith(`${start} `) || part === start)
      .map((part) => ({ at: `${at}: ${part}`, words: wordsOf(part.slice(start.length)) })),
  );
}

const linesOf = (code: string): string[] => code.replace(/\\\n/g, ' ').split('\n');

/** The commands of a line, without comments, variables before them, and brackets. */
const partsOf = (line: string): string[] =>
  line
    .replace(/\s#\s.*$/, '')
    .replace(/\[([^\]]*)\]/g, (_all, optional: string) => optional.replaceAll('|', ' '))
    .split(/\s(?:\||&&|>)\s/)
    .map((part) => part.trim().replace(/^(?:[A-Z_]+=(?:'[^']*'|\S+) )+/, ''));

const wordsOf = (text: string): string[] => text.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];

/** What is wrong with the words of a command, if anything is. */
function faultOf(words: readonly string[]): string | undefined {
  let command: Command = program;
  const rest = [...words];
  for (let next = subcommand(command, rest[0]); next !== undefined; next = subcommand(command, rest[0])) {
    command = next;
    rest.shift();
  }
  if (command === program && rest.length > 0 && !/^<|^--help$/.test(rest[0] ?? '')) return `no command ${rest[0]}`;
  return faultOfArguments(command, rest);
}

const subcommand = (command: Command, name: string | undefined): Command | undefined =>
  command.commands.find((each) => each.name() === name);

function faultOfArguments(command: Command, words: readonly string[]): string | undefined {
  const given: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!word.startsWith('--')) given.push(word);
    else if (word !== '--help') {
      const option = command.options.find(({ long }) => long === word);
      if (option === undefined) return `no option ${word}`;
      if (!option.required && !option.optional) continue;
      at += 1;
      const fault = faultOfValue(option, words[at]);
      if (fault !== undefined) return fault;
    }
  }
  const taken = command.registeredArguments.length;
  if (command !== program && given.length > taken) return `${given.length} arguments for ${taken}`;
  return undefined;
}

function faultOfValue(option: Option, value: string | undefined): string | undefined {
  if (value === undefined) return `${option.long} without a value`;
  const isChosen = option.argChoices === undefined || option.argChoices.includes(value) || value.startsWith('<');
  return isChosen ? undefined : `${option.long} takes no ${value}`;
}

describe('the commands of the pages', () => {
  it('of `npx holdfast` exist, with their options and arguments', () => {
    const commands = commandsOf('npx holdfast');
    expect(commands.length).toBeGreaterThan(60);
    expect(commands.map(({ at, words }) => ({ at, fault: faultOf(words) })).filter(({ fault }) => fault)).toEqual([]);
  });

  it.each(blocksOf('sh'))('of $at can be read by a shell', ({ code }) => {
    // Placeholders would be redirections, and alternatives pipes.
    const script = code.replace(/<([a-z][\w -]*)>/g, '$1').replace(/\[[^\]\n]*\|[^\]\n]*\]/g, '');
    const { stderr } = spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' });
    expect(stderr).toBe('');
  });

  it('of `npx holdfast` are complete in their reference, with each option', () => {
    const reference = pages.find(({ path }) => path === 'docs/reference/cli.md')?.text ?? '';
    const unnamed = withDescendants(program).flatMap((command) => [
      ...(reference.includes(command.name()) ? [] : [command.name()]),
      ...command.options.map(({ long }) => long ?? '').filter((long) => !reference.includes(long)),
    ]);
    expect(unnamed).toEqual([]);
  });

  it('of `npm run` are scripts of the package', () => {
    const commands = commandsOf('npm run');
    expect(commands.length).toBeGreaterThan(30);
    const isScript = ([name = '', flag, folder]: readonly string[]): boolean =>
      scriptsOf(flag === '-w' ? folder : undefined)[name] !== undefined;
    expect(commands.filter(({ words }) => !isScript(words))).toEqual([]);
  });

  it('name options that the command line or a script has', () => {
    const options = new Set(withDescendants(program).flatMap(({ options: own }) => own.map(({ long }) => long)));
    const known = scriptOptions();
    const named = pages.flatMap(({ path, spans }) =>
      spans.flatMap((span) => span.match(/^--[a-z][a-z-]*/g) ?? []).map((option) => ({ path, option })),
    );
    expect(named.length).toBeGreaterThan(40);
    const isKnown = (option: string): boolean =>
      options.has(option) || foreign.has(option) || known.includes(` ${option.slice(2)}: `);
    expect(named.filter(({ option }) => !isKnown(option))).toEqual([]);
  });
});

const withDescendants = (command: Command): Command[] => [command, ...command.commands.flatMap(withDescendants)];

/** The sources of scripts with options. The sizes of each workload of the bench are some. */
function scriptOptions(): string {
  const bench = readdirSync(join(projectRoot, 'bench'), { recursive: true, encoding: 'utf8' });
  const files = bench.filter((file) => file.endsWith('.ts')).map((file) => `bench/${file}`);
  const sources = [...files, 'scripts/nightly.mjs', 'scripts/testVersions.mjs'];
  return sources.map((file) => readFileSync(join(projectRoot, file), 'utf8')).join('\n');
}

import { parseArgs } from 'node:util';
import type { Profiling } from './profiling.ts';
import { type Sizes, type Workload, workloads } from './workloads/index.ts';

export interface BenchOptions {
  chosen: readonly Workload[];
  repetitions: number;
  out: string;
  profiling: Profiling;
  /** A measurement begins when other processes use fewer cores than this. Absent: at once. */
  quietCores: number | undefined;
  sizesOf(workload: Workload): Sizes;
}

/** The command line is invalid. The message explains the valid one. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const sizeNames = [...new Set(workloads.flatMap(({ sizes }) => Object.keys(sizes)))];

/**
 * Every size of every workload is a flag: `--runs 500`, `--backlog 1000,100000`. Throws a
 * `UsageError`.
 */
export function readOptions(args: string[]): BenchOptions {
  const { values, positionals } = parse(args);
  const params = parseParams(values.params);
  const texts: Record<string, unknown> = values;
  const chosen = positionals.length === 0 ? fail('name a workload') : positionals.map(workloadNamed);
  const flagsOf = (workload: Workload): Sizes =>
    Object.fromEntries(
      Object.keys(workload.sizes).flatMap((name) => {
        const text = texts[name];
        return typeof text === 'string' ? [[name, readSize(name, text, workload)]] : [];
      }),
    );
  const given = new Map(chosen.map((workload) => [workload, flagsOf(workload)]));
  const sizesOf = (workload: Workload): Sizes => ({
    ...(values.smoke === true && workload.smoke),
    ...params[workload.name],
    ...given.get(workload),
  });
  return {
    chosen,
    repetitions: readNumber('reps', values.reps),
    out: values.out ?? `bench/results/${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`,
    profiling: values.profile,
    quietCores: values.quiet === undefined ? undefined : readNumber('quiet', values.quiet),
    sizesOf,
  };
}

function parse(args: string[]) {
  const sizes = Object.fromEntries(sizeNames.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...sizes,
        reps: { type: 'string', default: '1' },
        out: { type: 'string' },
        params: { type: 'string', default: '{}' },
        profile: { type: 'string' },
        quiet: { type: 'string' },
        smoke: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function workloadNamed(name: string): Workload {
  const workload = workloads.find((each) => each.name === name);
  return workload ?? fail(`there is no workload "${name}"`);
}

function parseParams(text: string): Record<string, Sizes> {
  try {
    return JSON.parse(text);
  } catch {
    return fail('--params is no JSON');
  }
}

/** A size may be a list for one workload, and a number for another. */
function readSize(name: string, text: string, { sizes }: Workload): number | number[] {
  return Array.isArray(sizes[name]) ? text.split(',').map((part) => readNumber(name, part)) : readNumber(name, text);
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  return text.trim() !== '' && value >= 0 ? value : fail(`--${name} needs a number, not "${text}"`);
}

function fail(reason: string): never {
  const list = workloads.map(({ name, summary, sizes }) => {
    const flags = Object.entries(sizes).map(([size, value]) => `--${size} ${String(value)}`);
    return `  ${name.padEnd(11)} ${summary}\n${' '.repeat(14)}${flags.join(' ')}`;
  });
  throw new UsageError(`${reason}

npm run bench -- <workload...> [--reps 1] [--out file.json] [--params JSON] [--smoke] [--quiet CORES] [--profile DIR]

${list.join('\n')}`);
}

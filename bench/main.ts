// `npm run bench -- <workload...>`: measures the service on this machine. docs/performance.md
// explains the figures.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { conditions } from './conditions.ts';
import { type BenchOptions, readOptions, UsageError } from './options.ts';
import { untilQuiet } from './quiet.ts';
import type { StageConditions } from './stage.ts';
import { acrossRepetitions, type Measures } from './stats.ts';
import type { Sizes, Workload } from './workloads/index.ts';

interface Result {
  workload: string;
  repetition: number;
  sizes: Sizes;
  stages: StageConditions[];
  measures: Measures;
}

async function measure(workload: Workload, repetition: number, options: BenchOptions): Promise<Result> {
  if (options.quietCores !== undefined) await untilQuiet(options.quietCores);
  const given = options.sizesOf(workload);
  const stages: StageConditions[] = [];
  const observe = (stage: StageConditions): void => void stages.push(stage);
  const measures = await workload.measure(given, { profiling: options.profiling, observe });
  return { workload: workload.name, repetition, sizes: { ...workload.sizes, ...given }, stages, measures };
}

/** Formats figures as indented lines; short groups stay on one line. */
function reportLines(measures: Measures, indent = '  '): string[] {
  return Object.entries(measures).flatMap(([name, value]) => {
    if (typeof value === 'number') return [`${indent}${name.padEnd(22)} ${value}`];
    const entries = Object.entries(value);
    if (entries.every(([key, each]) => typeof each === 'number' && key.length < 20)) {
      return [`${indent}${name.padEnd(22)} ${entries.map(([key, each]) => `${key} ${String(each)}`).join('  ')}`];
    }
    return [`${indent}${name}`, ...reportLines(value, `${indent}  `)];
  });
}

function print({ workload, repetition, stages, measures }: Result): void {
  const others = Math.max(...stages.map(({ othersCpuPercent }) => othersCpuPercent));
  console.log(`\n${workload}, repetition ${repetition} (other processes used up to ${others} % of the cores)`);
  console.log(reportLines(measures).join('\n'));
}

function summarize(results: readonly Result[]): Measures {
  const names = [...new Set(results.map(({ workload }) => workload))];
  const across = (name: string): Measures =>
    acrossRepetitions(results.filter(({ workload }) => workload === name).map(({ measures }) => measures));
  return Object.fromEntries(names.map((name) => [name, across(name)]));
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const results: Result[] = [];
  // Repetitions are the outer loop, so that drift of the machine affects all workloads alike.
  for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
    for (const workload of options.chosen) {
      const result = await measure(workload, repetition, options);
      print(result);
      results.push(result);
      await save(options.out, results);
    }
  }
  if (options.repetitions > 1) console.log(`\nover all repetitions\n${reportLines(summarize(results)).join('\n')}`);
  console.log(`\nwritten to ${options.out}`);
}

async function save(file: string, results: readonly Result[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const content = { conditions: conditions(), summary: summarize(results), results };
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

// Exiting stops everything that was started: each part does so in an exit handler.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  await main();
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}
process.exit();

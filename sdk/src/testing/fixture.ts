import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ClientOptions } from '../config.ts';
import { Holdfast } from '../holdfast.ts';
import { asDeclared } from '../json/asDeclared.ts';
import { MisuseError } from '../misuse.ts';
import { isFinal, type Run, type RunFrame, type RunStep } from '../records/runs.ts';

/** A run as a fixture keeps it: its event, its steps, and how it ended. JSON. */
export interface RunFixture {
  readonly version: 1;
  readonly run: Run;
  readonly steps: readonly RunStep[];
  /** The names of the settled steps, in the order in which they ended. */
  readonly order: readonly string[];
}

type Source = Pick<Holdfast, 'runs'> | ClientOptions;

/**
 * Fetches a run with the results of its steps, to replay it over later code (`replayRecorded`).
 * `source` is a client, or the options of one. Payloads are as the handler received them, so a
 * fixture may hold personal data. `file` is where to write it as JSON; default: nowhere.
 *
 * @example
 * ```ts
 * await recordRun({ baseUrl, apiKey }, runId, { file: 'test/fixtures/fulfil.json' });
 * ```
 */
export async function recordRun(
  source: Source,
  runId: string,
  { file }: { file?: string | URL | undefined } = {},
): Promise<RunFixture> {
  const { runs } = 'runs' in source ? source : new Holdfast(source);
  const run = await runs.get(runId);
  const steps = await runs.steps(runId);
  const fixture = { version: 1, run, steps, order: await orderOf(runs, run, steps) } as const;
  if (file !== undefined) {
    if (typeof file === 'string') await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(fixture, null, 2)}\n`);
  }
  return fixture;
}

/** Reads a fixture from its file. Throws if the file holds none. */
export async function readFixture(file: string | URL): Promise<RunFixture> {
  const fixture = asDeclared<RunFixture>(JSON.parse(await readFile(file, 'utf8')));
  if (fixture?.version !== 1) throw new MisuseError(`${String(file)} holds no fixture of recordRun`);
  return fixture;
}

/**
 * Times have milliseconds, in which several steps may end, and the end of a run withdraws retries.
 * The timeline of a run that is over tells both.
 */
async function orderOf(runs: Holdfast['runs'], run: Run, steps: readonly RunStep[]): Promise<string[]> {
  if (!isFinal(run.status)) return byTime(steps);
  const ends = new Map<string, Extract<RunFrame, { kind: 'step_status' }>>();
  for await (const frame of runs.stream(run.id)) {
    if (frame.kind !== 'step_status') continue;
    // In the order of their last frames.
    ends.delete(frame.step);
    ends.set(frame.step, frame);
  }
  return [...ends.values()].filter(isSettled).map(({ step }) => step);
}

const byTime = (steps: readonly RunStep[]): string[] =>
  latestSteps(steps)
    .filter(isSettled)
    .sort((a, b) => Date.parse(a.endedAt ?? '') - Date.parse(b.endedAt ?? '') || a.index - b.index)
    .map(({ name }) => name);

const isSettled = ({ status, willRetry }: Pick<RunStep, 'status' | 'willRetry'>): boolean =>
  status === 'succeeded' || status === 'skipped' || (status === 'failed' && willRetry !== true);

/** The latest attempt of each step, in the order of the steps. */
export function latestSteps(steps: readonly RunStep[]): RunStep[] {
  const byAttempt = [...steps].sort((a, b) => a.attempt - b.attempt);
  return [...new Map(byAttempt.map((step) => [step.name, step])).values()].sort((a, b) => a.index - b.index);
}

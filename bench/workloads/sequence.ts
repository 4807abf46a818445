import { setTimeout as delay } from 'node:timers/promises';
import { type ByProcess, difference, eachProcess } from '../byProcess.ts';
import { examine } from '../doctor.ts';
import { onStage, type Stage } from '../stage.ts';
import { meteredSettings, StatementMeter } from '../statements.ts';
import { type Measures, round } from '../stats.ts';
import { defineWorkload, limitMs } from './workload.ts';

/** The size of a step in the memo that each pass receives, in bytes. */
const memoBytesOfStep = 96;
const settleMs = 50;

export const sequence = defineWorkload({
  name: 'sequence',
  summary:
    'one run with many steps in a row: the cost of the first 100, of the last 100, and of 100 after as large a memo',
  sizes: { steps: 1_000, window: 100, runs: 10 },
  smoke: { steps: 60, window: 20, runs: 1 },
  measure: (sizes, options) =>
    onStage({ ...options, databaseSettings: meteredSettings }, async (stage) => {
      const { steps, window, runs } = sizes;
      // A new process is slower at first.
      await watch(stage, { steps: Math.min(steps, 1_000), windows: [], runs: 1 });
      const [first, last] = await watch(stage, { steps, windows: [0, steps - window], window, runs });
      const ballast = Math.round((steps - window / 2) * memoBytesOfStep);
      const [loaded] = await watch(stage, { steps: window + 10, windows: [0], window, runs, ballast });
      await examine(stage);
      if (!first || !last || !loaded) throw new Error('a window was not measured');
      return {
        first,
        last,
        behindAsLargeAMemo: loaded,
        lastToFirst: ratio(last, first),
        lastToLoaded: ratio(last, loaded),
      };
    }),
});

interface Watched {
  steps: number;
  windows: number[];
  window?: number;
  runs: number;
  ballast?: number;
}

interface Costs extends Measures {
  wallMs: number;
  service: number;
  database: number;
  runner: number;
  /** The time in statements. */
  databaseMs: number;
  statements: number;
}

/** Means per step of each window, in ms. */
async function watch(stage: Stage, { steps, windows, window = 0, runs, ballast = 0 }: Watched): Promise<Costs[]> {
  const meter = await StatementMeter.start(stage.database);
  // The gate after the last step of a window is in the following step, or in the last step.
  const bounds = windows.map((begin) => ({ begin, end: Math.min(begin + window, steps - 1) }));
  const sums = bounds.map(() => ({ wallMs: 0, service: 0, database: 0, runner: 0, databaseMs: 0, statements: 0 }));
  for (let run = 0; run < runs; run += 1) {
    const gates = bounds.flatMap(({ begin, end }) => [begin, end]);
    const started = await stage.client.start('sequence', { steps, gates, ballast });
    for (const sum of sums) add(sum, await throughGates(stage, meter));
    await stage.client.ended(started, limitMs);
  }
  return bounds.map(({ begin, end }, position) => mean(sums[position], (end - begin) * runs));
}

interface Spent {
  wallMs: number;
  cpuS: ByProcess;
  databaseMs: number;
  statements: number;
}

/** Waits for a gate, opens it, and waits for the next. Returns the cost in between. */
async function throughGates(stage: Stage, meter: StatementMeter): Promise<Spent> {
  await stage.runner.held();
  await delay(settleMs);
  await meter.reset();
  const cpuBefore = stage.cpuSeconds();
  const startedAt = performance.now();
  const arrival = stage.runner.held();
  stage.runner.letGo();
  await arrival;
  const wallMs = performance.now() - startedAt;
  await delay(settleMs);
  const cpuS = difference(stage.cpuSeconds(), cpuBefore);
  const uses = await meter.read();
  stage.runner.letGo();
  const databaseMs = uses.reduce((total, { ms }) => total + ms, 0);
  return { wallMs, cpuS, databaseMs, statements: uses.reduce((total, { calls }) => total + calls, 0) };
}

function add(sum: Costs, { wallMs, cpuS, databaseMs, statements }: Spent): void {
  const { service, database, runner } = eachProcess(cpuS, (seconds) => seconds * 1000);
  sum.wallMs += wallMs;
  sum.service += service;
  sum.database += database;
  sum.runner += runner;
  sum.databaseMs += databaseMs;
  sum.statements += statements;
}

function mean(sum: Costs | undefined, steps: number): Costs {
  const of = (value: number | undefined): number => round((value ?? 0) / steps, 3);
  return {
    wallMs: of(sum?.wallMs),
    service: of(sum?.service),
    database: of(sum?.database),
    runner: of(sum?.runner),
    databaseMs: of(sum?.databaseMs),
    statements: of(sum?.statements),
  };
}

function ratio(one: Costs, other: Costs): Measures {
  const names = ['service', 'database', 'runner', 'databaseMs', 'statements'] as const;
  return Object.fromEntries(names.map((name) => [name, round(one[name] / other[name])]));
}

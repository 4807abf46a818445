import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ByProcess } from './byProcess.ts';
import { Client } from './client.ts';
import { BenchDatabase } from './database.ts';
import type { Profiling } from './profiling.ts';
import { Runner } from './runner.ts';
import { Service } from './service.ts';
import { round, sum } from './stats.ts';
import { cpuSecondsOf, cpuSecondsOfTree, machineCpuSeconds, memoryMibOf, memoryMibOfTree } from './usage.ts';

export interface StageOptions {
  profiling: Profiling;
  observe: (conditions: StageConditions) => void;
  /** Settings of PostgreSQL that differ from its defaults. */
  databaseSettings?: Record<string, string>;
  /** Comma list; default: all. */
  roles?: string;
  /** Settings of the service that differ from its defaults. */
  env?: Record<string, string>;
}

export interface StageConditions {
  postgres: Record<string, string>;
  loadAverageBefore: number;
  wallS: number;
  /** The share of all cores that other processes used. */
  othersCpuPercent: number;
}

/** A fresh service with its database and client, for one measurement. */
export interface Stage {
  directory: string;
  database: BenchDatabase;
  service: Service;
  runner: Runner;
  client: Client;
  cpuSeconds(): ByProcess;
  memoryMib(): ByProcess;
}

/** Sets up a stage, runs `work` on it, and always takes it down. */
export async function onStage<T>(options: StageOptions, work: (stage: Stage) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  // Under root, PostgreSQL runs as another user, who must be able to enter the directory.
  await chmod(directory, 0o755);
  const closing: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  try {
    const database = await BenchDatabase.start(directory, options.databaseSettings);
    closing.push(() => database.stop());
    const service = await Service.start({
      directory,
      databaseUrl: database.url,
      roles: options.roles,
      env: options.env,
      profiling: options.profiling,
    });
    closing.push(() => service.stop());
    const runner = await Runner.start(service, options.profiling);
    closing.push(() => runner.stop());
    const client = new Client(service, () => runner.finished);
    closing.push(async () => client.close());
    const processes = { service, database, runner };
    const stage = { directory, ...processes, client, ...meters(processes) };
    return await observed(stage, options, () => work(stage));
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function observed<T>(stage: Stage, { observe }: StageOptions, work: () => Promise<T>): Promise<T> {
  const ours = (): number => sum(Object.values(stage.cpuSeconds()));
  const before = { at: performance.now(), ours: ours(), machine: machineCpuSeconds(), load: loadavg()[0] ?? 0 };
  const result = await work();
  const wallS = (performance.now() - before.at) / 1000;
  const othersS = machineCpuSeconds() - before.machine - (ours() - before.ours);
  observe({
    postgres: await stage.database.settings(),
    loadAverageBefore: round(before.load),
    wallS: round(wallS),
    othersCpuPercent: round((Math.max(0, othersS) / (wallS * availableParallelism())) * 100, 1),
  });
  return result;
}

function meters({ service, database, runner }: Pick<Stage, 'service' | 'database' | 'runner'>) {
  const measure = (tree: (pid: number) => number, one: (pid: number) => number): ByProcess => ({
    service: tree(service.pid),
    database: tree(database.pid),
    runner: tree(runner.pid),
    client: one(process.pid),
  });
  return {
    cpuSeconds: () => measure(cpuSecondsOfTree, cpuSecondsOf),
    memoryMib: () => measure(memoryMibOfTree, memoryMibOf),
  };
}

import { type Measures, round } from './stats.ts';

/** CPU seconds, or MiB, by process. */
export interface ByProcess {
  service: number;
  database: number;
  runner: number;
  client: number;
}

export const eachProcess = (
  { service, database, runner, client }: ByProcess,
  change: (value: number) => number,
): ByProcess => ({
  service: change(service),
  database: change(database),
  runner: change(runner),
  client: change(client),
});

export const difference = (after: ByProcess, before: ByProcess): ByProcess => ({
  service: after.service - before.service,
  database: after.database - before.database,
  runner: after.runner - before.runner,
  client: after.client - before.client,
});

/** The CPU of Holdfast itself: the client is the load. */
export const withoutClient = ({ service, database, runner }: ByProcess): number => service + database + runner;

/** CPU seconds per thousand operations, to three decimals. */
export function perThousand(cpuS: ByProcess, count: number): Measures {
  const scaled = (seconds: number): number => round((seconds / count) * 1000, 3);
  return { ...eachProcess(cpuS, scaled), total: scaled(withoutClient(cpuS)) };
}

import type { RunStatus } from './runs.ts';

/** Numbers of runs by status. */
export type RunStatusCounts = Readonly<Record<RunStatus, number>>;

/** Counts of runs, with the durations of those that ended (4.4). */
export interface RunStats {
  readonly total: number;
  readonly byStatus: RunStatusCounts;
  /** The median duration, in ms; absent if no run ended. */
  readonly p50Ms?: number;
  /** The 95th percentile of the durations, in ms; absent if no run ended. */
  readonly p95Ms?: number;
}

/** The same for the runs that were created in one bucket of time. */
export interface RunBucket extends RunStats {
  /** The start of the bucket, RFC 3339, UTC. */
  readonly bucket: string;
  /** The mean duration, in ms; absent if no run ended. */
  readonly avgMs?: number;
}

/** The runs of one conversation. A run without a session is one of its own, under its id. */
export interface Session {
  readonly session: string;
  readonly runs: number;
  readonly byStatus: RunStatusCounts;
  readonly apps: readonly string[];
  readonly workflows: readonly string[];
  readonly firstRunAt: string;
  readonly lastRunAt: string;
  /** Input and output tokens; absent if no run called a model. */
  readonly aiTokens?: number;
  /** US dollars; absent if no call has a price. */
  readonly aiCost?: number;
}

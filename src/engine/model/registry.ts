import type { Queryable, Transaction } from '../db/index.ts';
import type { Definition } from './definition.ts';

/** A runner, for routing. */
export interface KnownRunner {
  app: string;
  runnerId: string;
  transport: 'connect' | 'http';
  workflows: ReadonlySet<string>;
  connected: boolean;
  lastSeenAt: Date;
}

/** An event, for guards. */
export interface GuardEvent {
  id: string;
  name: string;
  /** A parsed copy of the payload; undefined if absent. */
  data: unknown;
  ts: string;
  tags: Record<string, string> | undefined;
  session: string | undefined;
  /** Headers of its sender; undefined if its source exposes none. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** A run, for guards that cancel it. */
export interface GuardRun {
  id: string;
  /** A parsed copy of its input. */
  input: unknown;
  tags: Record<string, string> | undefined;
  session: string | undefined;
}

/** An event trigger of a workflow. */
export interface Listener {
  definition: Definition;
  /** The position of the definition, by app and name. */
  rank: number;
  /** The condition on the event; undefined if there is none. */
  guard: TriggerGuard | undefined;
}

export interface TriggerGuard {
  readonly source: string;
  /** Whether it holds. `onFault` hears why it is false, if the event is not the reason. */
  evaluate(event: GuardEvent, onFault?: (reason: string) => void, run?: GuardRun): boolean;
}

/** An entry of a workflow's `cancelOn`. Without a guard it cancels all runs. */
export interface CancelRule {
  app: string;
  workflow: string;
  /** The condition on the event and the run. */
  guard: TriggerGuard | undefined;
}

/** A project's definitions, runners and limits as of one `registryVersion`. Immutable. */
export interface ProjectSnapshot {
  projectId: string;
  /** Ingest statements name it, so that no decision rests on an outdated copy. */
  version: bigint;
  /** When the read began: in ms of this process's monotonic clock, and by the database's clock. */
  readAtMs: number;
  readAt: Date;
  suspended: boolean;
  concurrencyCeiling: number;
  /** Whether a webhook endpoint may have to be told of its runs. */
  hasEndpoints: boolean;
  runners: readonly KnownRunner[];
  workflow(app: string, name: string): Definition | undefined;
  /** All workflows of that name, ordered by app. */
  workflowsNamed(name: string): readonly Definition[];
  /**
   * The exact, wildcard and implicit triggers for events of that name. A workflow with several such
   * triggers comes several times.
   */
  listeners(name: string): Iterable<Listener>;
  /** The entries of `cancelOn` that an event of that name fulfils, before guards. */
  cancelRules(name: string): readonly CancelRule[];
}

/** Cached snapshots per project. Correctness rests on `version`, not on invalidation. */
export interface Registry {
  /**
   * Throws `notFound` for an unknown project. With `sinceMs`, an instant of the monotonic clock,
   * the read of the copy began no earlier. A refusal needs that, because no statement checks its
   * version. Concurrent callers share one read per project.
   */
  snapshot(projectId: string, sinceMs?: number): Promise<ProjectSnapshot>;
  /**
   * Like `snapshot`, for a caller inside a transaction, who must not wait for a second connection.
   * Reads in `tx`, and never waits for another caller's read.
   */
  snapshotWithin(tx: Queryable, projectId: string): Promise<ProjectSnapshot>;
  /** Drops the copy, so that the next `snapshot` reads again. */
  invalidate(projectId: string): void;
}

/** The key of a lane: all runs that the same runners may execute. */
export interface LaneKey {
  projectId: string;
  app: string;
  workflow: string;
  /** The pinned runner; empty for anycast. */
  runner: string;
}

/** The part of `Lanes` that preparing a run needs. */
export type LaneMaker = Pick<Lanes, 'ensure'>;

/**
 * Lanes by id and by key. A lane's id never changes, so both directions are cached without expiry.
 */
export interface Lanes {
  /** The ids of lanes, in order. Missing lanes are created. */
  ensure(keys: readonly LaneKey[]): Promise<number[]>;
  /**
   * Like `ensure`, for a caller inside a transaction, who must not wait for a second connection.
   * Reads and creates lanes in `tx`, and caches them after its commit.
   */
  within(tx: Transaction): LaneMaker;
  /** The lanes with these ids. */
  describe(ids: readonly number[]): Promise<Map<number, LaneKey>>;
}

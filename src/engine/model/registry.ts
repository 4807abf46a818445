import type { Queryable, Transaction } from '../db/index.ts';
import type { Definition } from './definition.ts';

/** A runner as routing sees it. */
export interface KnownRunner {
  app: string;
  runnerId: string;
  transport: 'connect' | 'http';
  workflows: ReadonlySet<string>;
  connected: boolean;
  lastSeenAt: Date;
}

/** The event as guards see it. */
export interface GuardEvent {
  id: string;
  name: string;
  /** A parsed copy of the payload; undefined when absent. */
  data: unknown;
  ts: string;
  tags: Record<string, string> | undefined;
  session: string | undefined;
}

/** A project's definitions, runners and limits as of one `registryVersion`. Immutable. */
export interface ProjectSnapshot {
  projectId: string;
  /** What ingest statements name, so that nothing is decided on a stale copy. */
  version: bigint;
  /**
   * When the reading began, in ms of this process's monotonic clock; and by the database's clock.
   */
  readAtMs: number;
  readAt: Date;
  suspended: boolean;
  concurrencyCeiling: number;
  runners: readonly KnownRunner[];
  workflow(app: string, name: string): Definition | undefined;
  /** All workflows of that name, ordered by app. */
  workflowsNamed(name: string): readonly Definition[];
  /**
   * Workflows that an event starts, ordered by app and name: exact, wildcard and implicit triggers,
   * guards applied.
   */
  match(event: GuardEvent, targetApp: string | undefined): Promise<Definition[]>;
  /**
   * Workflows that an event of that name may start, guards aside; one with several such triggers
   * comes several times.
   */
  listeners(name: string): Iterable<Definition>;
}

/** Cached snapshots per project; correctness rests on `version`, not on invalidation. */
export interface Registry {
  /**
   * Throws `notFound` for an unknown project. With `sinceMs`, an instant of the monotonic clock,
   * the copy is one whose reading began no earlier, which is what a refusal needs: a version tells
   * nothing where nothing is written. However many ask, a project is read for them once at a time.
   */
  snapshot(projectId: string, sinceMs?: number): Promise<ProjectSnapshot>;
  /**
   * A copy for who holds a transaction already, and must not wait for another connection meanwhile:
   * what has to be read is read in it, and nobody else's reading is waited for.
   */
  snapshotWithin(tx: Queryable, projectId: string): Promise<ProjectSnapshot>;
  /** Forgets the copy: the next `snapshot` reads afresh. */
  invalidate(projectId: string): void;
}

/** A route of work: all runs that the same runners may take. */
export interface LaneKey {
  projectId: string;
  app: string;
  workflow: string;
  /** The pinned runner; empty for anycast. */
  runner: string;
}

/** All that preparing a run asks of lanes. */
export type LaneMaker = Pick<Lanes, 'ensure'>;

/** Interned lanes. A lane's id never changes, so both directions are cached for good. */
export interface Lanes {
  /** Ids of lanes in the order asked for; creates those that are missing. */
  ensure(keys: readonly LaneKey[]): Promise<number[]>;
  /**
   * The same for who holds a transaction already, and must not wait for another connection
   * meanwhile: lanes are looked for and made in it, and remembered once it is committed.
   */
  within(tx: Transaction): LaneMaker;
  /** The lanes behind ids that others named. */
  describe(ids: readonly number[]): Promise<Map<number, LaneKey>>;
}

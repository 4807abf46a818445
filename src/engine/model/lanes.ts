import type { Queryable } from '../db/index.ts';

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
   * The same for who holds a transaction already, and must not wait for another connection meanwhile: lanes are looked for and made
   * in it. What was found is to be remembered by `afterCommit` only.
   */
  within(tx: Queryable, afterCommit: (() => void)[]): LaneMaker;
  /** The lanes behind ids that others named. */
  describe(ids: readonly number[]): Promise<Map<number, LaneKey>>;
}

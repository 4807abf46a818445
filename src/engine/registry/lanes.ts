/** A route of work: all runs that the same runners may take. */
export interface LaneKey {
  projectId: string;
  app: string;
  workflow: string;
  /** The pinned runner; empty for anycast. */
  runner: string;
}

/** Interned lanes. A lane's id never changes, so both directions are cached for good. */
export interface Lanes {
  /** Ids of lanes in the order asked for; creates those that are missing. */
  ensure(keys: readonly LaneKey[]): Promise<number[]>;
  /** The lanes behind ids that others named. */
  describe(ids: readonly number[]): Promise<Map<number, LaneKey>>;
}

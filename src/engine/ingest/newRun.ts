import type { DedupeKey, Gates, PlannedStart, QueueShape, ScopeKey, Withheld } from '../flow/index.ts';
import type { RawJson } from '../json/index.ts';

/** A run about to be created. */
export interface NewRun extends PlannedStart, QueueShape {
  /** The hash of the definition at its start. */
  version: string;
  laneId: number;
  /** JSON array of the events of a batch; undefined for other runs. */
  events: RawJson | undefined;
  /** The failed run that a follow-on run handles. */
  onFailureOf: string | undefined;
  /** A start with the same key within the window creates no run (4.2 `dedupeId`). */
  dedupe: DedupeKey | undefined;
  /** The gates to pass; undefined if there are none, or after all have passed. */
  gates: Gates | undefined;
  /** Digest of the singleton that the run holds. */
  singleton: string | undefined;
  /** The earliest start time. Default: now. */
  startAt: Date | undefined;
  /** The `throttle` scope in which it takes its turn at that time; undefined: none. */
  owedTurn: ScopeKey | undefined;
}

/** A start that was withheld. */
export interface WithheldStart {
  reason: Withheld;
  /** The run that caused it, if any. */
  existingRunId: string | undefined;
}

/** An entry of `triggered[]` (4.3): a run, or the reason why none exists. */
export type Triggered = { app: string; workflow: string; runId?: string | undefined } & {
  [Reason in Withheld]?: true;
} & Partial<Pick<WithheldStart, 'existingRunId'>>;

/** An event to record. */
export interface NewEvent {
  eventId: string;
  projectId: string;
  app: string;
  name: string;
  data: RawJson | undefined;
  /** JSON text of the tags; undefined if there are none. */
  tags: string | undefined;
  /** JSON text of its envelope; undefined if it has none. */
  envelope?: string | undefined;
  session: string | undefined;
  dedupeId: string | undefined;
  targetApp: string | undefined;
  runner: string | undefined;
  source: 'api' | 'webhook' | 'emit';
  sourceRunId: string | undefined;
  /** An entry per matched workflow, in the order of the intake's runs. */
  triggered: readonly Triggered[];
  suspended: boolean;
}

/** An event with its runs, or a run without an event. All parts are created together, or none. */
export interface Intake {
  projectId: string;
  /** The registry version of the snapshot that was used. */
  registryVersion: bigint;
  event: NewEvent | undefined;
  runs: readonly NewRun[];
  /** The key whose duplicate drops the intake. Default: that of the event, or of the run. */
  key?: DedupeKey | undefined;
  /** Whether this transaction has already claimed the intake's key. */
  isClaimed?: boolean | undefined;
}

/**
 * - `created`: recorded.
 * - `deduped`: the key was claimed before; `refId` is the first event or run.
 * - `stale`: the snapshot is outdated, and nothing was written.
 */
export type IntakeOutcome = { kind: 'created' } | { kind: 'deduped'; refId: string } | { kind: 'stale' };

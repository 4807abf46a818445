import type { DedupeKey, Gates, PlannedStart, QueueShape, Withheld } from '../flow/index.ts';
import type { RawJson } from '../json/index.ts';

/** A run about to be created. */
export interface NewRun extends PlannedStart, QueueShape {
  /** Hash of the definition that it starts with. */
  version: string;
  laneId: number;
  /** JSON array of the events of a batch; undefined unless batched. */
  events: RawJson | undefined;
  /** The failed run that it handles. */
  onFailureOf: string | undefined;
  /** A duplicate of this key within the window starts no run (4.2 `dedupeId`). */
  dedupe: DedupeKey | undefined;
  /** The gates that it has yet to pass; undefined when there are none, or once it has passed. */
  gates: Gates | undefined;
  /** Digest of the singleton whose holder it is. */
  singleton: string | undefined;
  /** Before this it does not start; undefined: at once. */
  startAt: Date | undefined;
}

/** A start that came to no run, or not at once. */
export interface WithheldStart {
  reason: Withheld;
  /** The run that caused it, if any. */
  existingRunId: string | undefined;
}

/** An entry of `triggered[]` (4.3): a run, or why there is none. */
export type Triggered = { app: string; workflow: string; runId?: string | undefined } & {
  [Reason in Withheld]?: true;
} & Partial<Pick<WithheldStart, 'existingRunId'>>;

/** An event to be recorded. */
export interface NewEvent {
  eventId: string;
  projectId: string;
  app: string;
  name: string;
  data: RawJson | undefined;
  /** JSON text of the tags; undefined when there are none. */
  tags: string | undefined;
  session: string | undefined;
  dedupeId: string | undefined;
  targetApp: string | undefined;
  runner: string | undefined;
  source: 'api' | 'webhook' | 'emit';
  sourceRunId: string | undefined;
  /** As in the record: an entry per matched workflow, in the order of the intake's runs. */
  triggered: readonly Triggered[];
  suspended: boolean;
}

/**
 * The parts that are created together or not at all: an event with its runs, or a run without an
 * event.
 */
export interface Intake {
  projectId: string;
  /** The version of the snapshot that decided. */
  registryVersion: bigint;
  event: NewEvent | undefined;
  runs: readonly NewRun[];
  /** Its key was claimed in the same transaction. */
  isClaimed?: boolean | undefined;
}

/**
 * - `created`: recorded.
 * - `deduped`: the key was seen before; `refId` is the first event or run.
 * - `stale`: the snapshot is outdated, and nothing was written.
 */
export type IntakeOutcome = { kind: 'created' } | { kind: 'deduped'; refId: string } | { kind: 'stale' };

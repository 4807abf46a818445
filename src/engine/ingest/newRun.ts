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
  /** A repeat of this key within the window starts nothing (4.2 `dedupeId`). */
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
  /** The run because of which it was withheld, where there is one. */
  existingRunId: string | undefined;
}

/** One entry of `triggered[]` (4.3): a run, or what withheld it. */
export type Triggered = { app: string; workflow: string; runId?: string | undefined } & {
  [Reason in Withheld]?: true;
} & Partial<Pick<WithheldStart, 'existingRunId'>>;

/** An event about to be recorded. */
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
  /** As the record shows it: an entry per matched workflow, in the order of the intake's runs. */
  triggered: readonly Triggered[];
  suspended: boolean;
}

/**
 * What is created together or not at all: an event with the runs that it starts, or one run without
 * an event.
 */
export interface Intake {
  projectId: string;
  /** Of the snapshot that it was decided on. */
  registryVersion: bigint;
  event: NewEvent | undefined;
  runs: readonly NewRun[];
  /** Its key was claimed in the transaction that writes it. */
  isClaimed?: boolean | undefined;
}

/**
 * - `created`: recorded.
 * - `deduped`: its key was seen before; `refId` is the event or run that came first.
 * - `stale`: decided on an old snapshot; nothing was written.
 */
export type IntakeOutcome = { kind: 'created' } | { kind: 'deduped'; refId: string } | { kind: 'stale' };

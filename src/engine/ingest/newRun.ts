import type { Gates, QueueShape } from '../flow/index.ts';
import type { RawJson } from '../json/index.ts';
import type { TriggerKind } from '../runs/index.ts';

/** A run about to be created. */
export interface NewRun extends QueueShape {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  /** Hash of the definition that it starts with. */
  version: string;
  laneId: number;
  triggerKind: TriggerKind;
  eventName: string | undefined;
  eventId: string | undefined;
  session: string | undefined;
  /** The pinned runner; undefined for anycast. */
  runner: string | undefined;
  depth: number;
  /** JSON text of the tags; undefined when there are none. */
  tags: string | undefined;
  input: RawJson;
  /** JSON array of the events of a batch; undefined unless batched. */
  events: RawJson | undefined;
  /** When what it starts from came, where that is not now. */
  receivedAt?: Date | undefined;
  /** The `step.runWorkflow` call that spawned it (2.4). */
  parent: { runId: string; step: string; attempt: number } | undefined;
  /** The failed run that it handles. */
  onFailureOf: string | undefined;
  /** A duplicate of this key within the window starts no run (4.2 `dedupeId`). */
  dedupe: DedupeKey | undefined;
  /** What it has yet to pass; undefined when nothing can hold it back, or once it has passed. */
  gates: Gates | undefined;
  /** The `singleton` place that it takes. */
  place: string | undefined;
  /** Before this it does not start; undefined: at once. */
  startAt: Date | undefined;
}

/** A repeat of the key within the window comes to nothing. */
export interface DedupeKey {
  scope: string;
  key: string;
}

/** Why a start was withheld, as answers and records name it (4.3). */
export type Withheld = 'skipped' | 'dropped' | 'debounced' | 'batched' | 'deduped';

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

import type { RawJson } from '../json/rawJson.ts';
import type { TriggerKind } from '../runs/status.ts';

/** A run about to be created. */
export interface NewRun {
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
  /** The `step.runWorkflow` call that spawned it (2.4). */
  parent: { runId: string; step: string; attempt: number } | undefined;
  /** The failed run that it handles. */
  onFailureOf: string | undefined;
  /** A repeat of this key within the window starts nothing (4.2 `dedupeId`). */
  dedupe: { scope: string; key: string } | undefined;
}

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
  /** JSON text of `triggered[]` as the record shows it. */
  triggered: string;
  suspended: boolean;
}

/** What is created together or not at all: an event with the runs that it starts, or one run without an event. */
export interface Intake {
  projectId: string;
  /** Of the snapshot that it was decided on. */
  registryVersion: bigint;
  event: NewEvent | undefined;
  runs: NewRun[];
}

/**
 * - `created`: recorded.
 * - `deduped`: its key was seen before; `refId` is the event or run that came first, where it can be told.
 * - `stale`: decided on an old snapshot; nothing was written.
 */
export type IntakeOutcome = { kind: 'created' } | { kind: 'deduped'; refId: string | undefined } | { kind: 'stale' };

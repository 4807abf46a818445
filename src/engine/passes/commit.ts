import type { LogLevel } from '@holdfast/sdk/protocol';
import type { Usage } from '../ai/index.ts';
import type { StepStatus } from '../runs/index.ts';
import type { Pass } from './pass.ts';

/** When an open step goes on by itself: a delay that starts with the commit, or an instant. */
export type RunAfter = { inMs: number } | { at: Date };

/** A row to write: one attempt of one step. Texts are JSON. */
export interface StepRow {
  stepId: string;
  index: number;
  attempt: number;
  name: string;
  op: string;
  status: StepStatus;
  input: string | undefined;
  output: string | undefined;
  error: string | undefined;
  ai: string | undefined;
  usage: string | undefined;
  runAfter: RunAfter | undefined;
  willRetry: boolean;
  eventName: string | undefined;
  childRunId: string | undefined;
  /** Whole milliseconds, so that frames and rows tell the same. */
  elapsedMs: number;
}

/** A step of a commit that called a model, with what it reported of that (4.10 `usage`). */
export interface AiCall {
  step: StepRow;
  usage: Usage;
}

/** A term that a parked step waits for. */
export interface WaitRow {
  stepIndex: number;
  eventName: string;
  eventIf: string | undefined;
  /** Where the guard demands a value at a path; both empty otherwise. */
  matchPath: string;
  matchValue: string;
}

/** A log line to persist, unless a former pass shipped the same. */
export interface LogRow {
  scope: string;
  attempt: number;
  index: number;
  level: LogLevel;
  message: string;
  /** JSON text, redacted. */
  fields: string | undefined;
}

/**
 * What becomes of the run:
 * - `keep`: there is more to do at once; the lease stays.
 * - `park`: nothing can go on now. If something happened to the run meanwhile, the lease stays
 *   instead.
 * - `retry`: the pass came to nothing, and is sent again after that time, whatever comes of its
 *   open steps meanwhile.
 * - `finish`: the run is over.
 */
export type Next =
  | { kind: 'keep' }
  | { kind: 'park' }
  | { kind: 'retry'; inMs: number }
  | { kind: 'finish'; status: 'succeeded' | 'failed'; result: string | undefined; error: string | undefined };

/** Everything that one answer changes, written in one transaction or not at all. */
export interface PassCommit {
  pass: Pass;
  next: Next;
  steps: StepRow[];
  waits: WaitRow[];
  logs: LogRow[];
  /** The run-level attempt from now on. */
  attempt: number;
  transportFailures: number;
}

/** `lost`: the lease is no longer ours; nothing was written. */
export type CommitOutcome = { kind: 'kept'; wakes: number; now: Date } | { kind: 'released' } | { kind: 'lost' };

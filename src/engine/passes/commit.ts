import type { LogLevel } from '@holdfast/sdk/protocol';
import type { Usage } from '../ai/index.ts';
import type { RunStatus, StepStatus, WaitError } from '../runs/index.ts';
import type { Pass } from './pass.ts';
import type { Fruitless } from './transport.ts';

/** When an open step continues by itself: after a delay from the commit, or at an instant. */
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
  /** The step failed and would be retried, but its run ends with this commit. */
  retryWithdrawn: boolean;
  eventName: string | undefined;
  childRunId: string | undefined;
  /** In whole milliseconds, so that frames and rows agree. */
  elapsedMs: number;
}

/** A step of a commit that called a model, with the usage that it reported (4.10 `usage`). */
export interface AiCall {
  step: StepRow;
  usage: Usage;
}

/** A term that a parked step waits for. */
export interface WaitRow {
  stepIndex: number;
  eventName: string;
  eventIf: string | undefined;
  /** A path, and the value that the guard demands there. Both are empty without such a demand. */
  matchPath: string;
  matchValue: string;
  /** The wait also takes events that were received from then on; undefined: from its beginning. */
  since: Date | undefined;
}

/** A log line to persist, unless a former pass sent it already. */
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
 * The run after the commit:
 * - `keep`: it continues at once; the lease stays.
 * - `park`: all of its branches wait. If the run was changed meanwhile, the lease stays.
 * - `retry`: the pass failed or made no progress, and is sent again after a delay. Settled steps do
 *   not shorten the delay. Only a decision does (`yieldsToDecision`), so that its approver sees the
 *   run continue.
 * - `finish`: it has ended.
 */
export type Next =
  | { kind: 'keep' }
  | { kind: 'park' }
  | { kind: 'retry'; inMs: number; yieldsToDecision: boolean; because: RetryReason }
  | { kind: 'finish'; status: 'succeeded' | 'failed'; result: string | undefined; error: string | undefined };

/** Why a pass is sent again: its runner did not answer, or its handler failed. */
export interface RetryReason {
  kind: 'transport' | 'retry';
  error: WaitError;
}

/** The registered followers of a run, as of the definitions in force. */
export interface Registered {
  /** Whether a failure of the run starts a follow-on run. */
  hasOnFailure: boolean;
  /**
   * Whether the project has webhook endpoints, as far as this process knows. This only saves a try:
   * the statement decides by itself.
   */
  hasEndpoints: boolean;
}

/** Everything that one answer changes, written in one transaction or not at all. */
export interface PassCommit extends Fruitless, Registered {
  pass: Pass;
  next: Next;
  steps: StepRow[];
  waits: WaitRow[];
  logs: LogRow[];
  /** The run-level attempt from now on. */
  attempt: number;
}

/**
 * `lost`: the lease has ended, and nothing was written. `delaysFrom` is `now`, rounded as the
 * stored times of steps.
 */
export type CommitOutcome =
  | { kind: 'kept'; wakes: number; now: Date; delaysFrom: Date }
  | { kind: 'released' }
  | { kind: 'lost' };

/** A commit as it was written: side effects complete the steps that cause them. */
export interface Committed {
  outcome: CommitOutcome;
  steps: readonly StepRow[];
}

/** The status that a commit gives its run; undefined if the run continues at once. */
export function statusOf({ pass, next, steps }: PassCommit): RunStatus | undefined {
  if (next.kind === 'keep') return undefined;
  if (next.kind === 'finish') return next.status;
  return [...pass.memo.open, ...steps].some(isUndecided) ? 'needs_attention' : 'waiting';
}

/** Whether a step waits for a decision of a person. */
export const isUndecided = ({ op, status }: Pick<StepRow, 'op' | 'status'>): boolean =>
  op === 'Approval' && status === 'waiting';

/** Whether the end of a run affects its parent, its children, or a follow-on run. */
export function hasConsequences({ pass, next, steps, hasOnFailure }: PassCommit): boolean {
  if (next.kind !== 'finish') return false;
  if (pass.parentRunId !== undefined || (next.status === 'failed' && hasOnFailure)) return true;
  return [...pass.memo.open, ...steps].some((step) => step.op === 'RunWorkflow');
}

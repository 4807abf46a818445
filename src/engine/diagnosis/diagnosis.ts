import type { StepError } from '@holdfast/sdk/protocol';
import type { LogFrameRow, RunStatus } from '../runs/index.ts';
import type { RunWait } from './runWait.ts';

/** The state of a run in one word, for a person who is on call. */
export const runVerdicts = [
  /** It ended with a result. */
  'succeeded',
  'failed',
  'cancelled',
  /** A runner executes it. */
  'running',
  /** It goes on by itself: after a sleep, an event, a child, a model call. */
  'waiting',
  /** It waits for its turn: a slot, the ceiling, its start time, room in a runner. */
  'queued',
  /** Something failed, and is tried again. */
  'retrying',
  'needs_decision',
  'paused',
  /** It does not go on unless somebody acts: no runner, no dispatcher, a refused provider key. */
  'stuck',
] as const;
export type RunVerdict = (typeof runVerdicts)[number];

/** Why a run failed. */
export const failureKinds = [
  /** A step failed for good, before its attempts were spent. */
  'step',
  'step_retries_spent',
  /** The handler threw, outside of any step. */
  'handler',
  'handler_retries_spent',
  'child_failed',
  'child_cancelled',
  'approval_denied',
  'approval_timeout',
  /** No live runner served the workflow. */
  'no_runner',
  /** Runners did not answer. */
  'transport',
  /** The `cap` was reached. */
  'cap',
  'inference',
  /** A start of a child was withheld by flow control. */
  'flow_control',
  'unsupported_opcode',
  'non_determinism',
  'max_duration',
  /** The run or an answer of its runner exceeded a limit of the service. */
  'service_limit',
  /** The runner refused the request. */
  'rejected',
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** The step whose failure ended the run. */
export interface FailedStep {
  name: string;
  index: number;
  attempts: number;
  startedAt: Date;
  endedAt: Date | undefined;
}

/** Failures of other runs of the workflow in the last 24 h, at the same step, with a like error. */
export interface AlikeFailures {
  /** Counted up to a limit, this one not included. */
  count: number;
  /** Whether there may be more: the search ended at its limit. */
  isMore: boolean;
  first: Date | undefined;
  last: Date | undefined;
  /** The newest, at most three. */
  runIds: readonly string[];
}

export interface RunFailure {
  kind: FailureKind;
  step: FailedStep | undefined;
  /** The attempts of the workflow's policy; undefined if the workflow is not registered. */
  maxAttempts: number | undefined;
  error: StepError | undefined;
  /** The child whose end failed the step. */
  childRunId: string | undefined;
  /** The approval that was denied, or that timed out. */
  approvalId: string | undefined;
  /** The last 20 lines of the run. */
  logs: readonly LogFrameRow[];
  alike: AlikeFailures;
}

/** Who or what cancelled a run. */
export const cancellers = ['caller', 'bulk', 'event', 'parent', 'singleton', 'ttl', 'unknown'] as const;
export type Canceller = (typeof cancellers)[number];

export interface RunCancellation {
  by: Canceller;
  /** The name of the caller's key. */
  actor: string | undefined;
  /** The event, if one cancelled it. */
  eventId: string | undefined;
  /** The parent, or the run that took the singleton. */
  runId: string | undefined;
}

/** Calls that may follow from a diagnosis. They have the names of the agent tools. */
export const nextActions = [
  'diagnose_run',
  'get_run',
  'list_run_steps',
  'list_run_logs',
  'wait_for_run',
  'list_runs',
  'list_runners',
  'get_flow_state',
  'get_approval',
  'get_event',
  'list_events',
  'cancel_run',
  'resume_run',
  'replay_run',
  'retry_run_from_step',
  'bulk_replay_runs',
  'decide_approval',
  'send_event',
] as const;
export type NextAction = (typeof nextActions)[number];

export interface NextCall {
  action: NextAction;
  /** By the names of REST. Values may come from strangers. */
  arguments: Readonly<Record<string, unknown>>;
  /** A sentence of ours. */
  why: string;
}

/** What is known of a run's state and of its reasons, derived from records. */
export interface RunDiagnosis {
  status: RunStatus;
  verdict: RunVerdict;
  /** Sentences of ours: no text of an event, a runner, a model or a person. */
  summary: string;
  /** The causes of a run that does not execute, the most important first. */
  causes: readonly RunWait[];
  failure: RunFailure | undefined;
  cancellation: RunCancellation | undefined;
  next: readonly NextCall[];
}

import type { LogLevel, StepError } from '../protocol.ts';

export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'paused'
  | 'needs_attention'
  | 'succeeded'
  | 'failed'
  | 'cancelled';
export type FinalStatus = 'succeeded' | 'failed' | 'cancelled';

const finalStatuses: readonly string[] = ['succeeded', 'failed', 'cancelled'] satisfies FinalStatus[];

export function isFinal(status: string): status is FinalStatus {
  return finalStatuses.includes(status);
}

/** Why a run is paused, and by whom. */
export interface PausedBy {
  readonly reason: 'manual' | 'budget';
  readonly actor?: string;
}

/**
 * Why an unfinished run does not execute. Of several open branches, it is the one that needs help,
 * else the first to go on.
 */
export interface WaitingFor {
  readonly kind:
    | 'runner'
    | 'transport'
    | 'retry'
    | 'sleep'
    | 'event'
    | 'child'
    | 'approval'
    | 'inference'
    | 'slot'
    | 'start';
  /** When the wait ends by itself. A wait for a runner ends with the failure of the run. */
  readonly until?: string;
  /** The step that waits. */
  readonly step?: string;
  /** The failure after which the pass or the step is tried again. */
  readonly error?: StepError;
  /** The lane of the model call for which the run waits. Only a read of a single run has it. */
  readonly inference?: InferenceLane;
}

/** The calls of one model under one key of a provider. Counts end at 1000. */
export interface InferenceLane {
  readonly provider: string;
  readonly model: string;
  readonly keyFrom: 'project' | 'settings';
  /** Calls of all projects that share the key. */
  readonly inFlight: number;
  /** How many calls may be in flight now. After a hold it is 1, and each success doubles it. */
  readonly limit: number;
  /** Calls of this project that have not begun. */
  readonly waiting: number;
  /** When the next call may begin, if the provider is overloaded or limits the rate. */
  readonly heldUntil?: string;
  /** The provider's last reason for a hold or a refused key, until a call succeeds. */
  readonly heldFor?: string;
}

/** A run as lists show it (2.4). Times are RFC 3339, UTC. */
export interface RunSummary {
  readonly id: string;
  readonly app: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly triggerKind: 'event' | 'cron' | 'manual';
  readonly eventName?: string;
  readonly eventId?: string;
  readonly session?: string;
  readonly runner?: string;
  readonly replayOf?: string;
  readonly parentRunId?: string;
  readonly parentStep?: string;
  readonly parentAttempt?: number;
  readonly depth?: number;
  readonly onFailureOf?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly attempt: number;
  readonly pausedBy?: PausedBy;
  /** Absent while the run executes or is paused, and once it has ended. */
  readonly waitingFor?: WaitingFor;
  readonly error?: StepError;
  readonly createdAt: string;
  readonly startAt?: string;
  /** When the start is dropped (`ttl`). Absent without limit, and once the run has begun. */
  readonly expiresAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
}

/** A single run, with its input and result. */
export interface Run<Result = unknown> extends RunSummary {
  readonly input?: unknown;
  /** Set when the run has succeeded; `null` if its handler returned nothing. */
  readonly result?: Result;
  readonly stepCount?: number;
}

export interface FinishedRun<Result = unknown> extends Run<Result> {
  readonly status: FinalStatus;
}

/** An attempt of a step (2.5). */
export interface RunStep {
  readonly name: string;
  readonly index: number;
  readonly attempt: number;
  readonly status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: StepError;
  /** Of a call that the service makes: its model and sends, also while the step waits. */
  readonly ai?: unknown;
  readonly runAfter?: string;
  readonly willRetry?: boolean;
  readonly nextAttemptAt?: string;
  readonly eventName?: string;
  readonly childRunId?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly durationMs?: number;
}

/** A line of a run's log (2.6). */
export interface RunLogLine {
  readonly seq: number;
  readonly ts: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly scope: string;
  readonly attempt: number;
}

interface FrameBase {
  /** Increases by one with each frame of a run. */
  readonly seq: number;
  readonly ts: string;
  readonly runId: string;
}

/** An entry in a run's timeline, as its stream sends it (4.5). */
export type RunFrame =
  | (FrameBase & {
      readonly kind: 'run_status';
      readonly status: RunStatus;
      readonly error?: StepError;
      readonly pausedBy?: PausedBy;
      readonly waitingFor?: WaitingFor;
    })
  | (FrameBase & {
      readonly kind: 'step_status';
      readonly step: string;
      readonly index: number;
      readonly attempt: number;
      readonly status: RunStep['status'];
      readonly error?: StepError;
      readonly willRetry?: boolean;
      readonly nextAttemptAt?: string;
      readonly durationMs?: number;
    })
  | (FrameBase & {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields?: Readonly<Record<string, unknown>>;
      readonly scope: string;
      readonly attempt: number;
    });

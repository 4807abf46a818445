import type { StepError } from '../protocol.ts';
import type { RunLogLine, RunStatus } from '../records/runs.ts';

/** The step of a cause that belongs to one step. */
export interface WaitingStep {
  readonly name: string;
  readonly index: number;
  readonly attempt: number;
}

interface Wait {
  /** Since when the cause holds, where that is recorded. */
  readonly since?: string;
  /** When it ends by itself. */
  readonly until?: string;
}

interface OfStep {
  readonly step: WaitingStep;
}

interface Ahead {
  /** Runs that have their turn before, counted up to 1000. */
  readonly ahead: number;
  readonly isMoreAhead: boolean;
}

interface Limit extends Ahead {
  readonly limit: number;
  readonly inUse: number;
}

interface Held extends Limit {
  /** Ids of runs that execute under the limit, at most 20. */
  readonly holders: readonly string[];
}

/** A person or a budget paused the run. */
export interface PausedWait extends Wait {
  readonly kind: 'paused';
  readonly reason: 'manual' | 'budget';
  /** The key of the person. */
  readonly actor?: string;
  readonly budget?: { readonly windowMs: number; readonly maxCost?: number; readonly maxTokens?: number };
}

/** No dispatcher is alive, or the one that executed the run is silent. */
export interface DispatcherWait extends Wait {
  readonly kind: 'dispatcher';
  readonly alive: number;
}

/** The run is to be executed, and no runner has taken it. It fails at `until`. */
export interface RunnerWait extends Wait, Limit {
  readonly kind: 'runner';
  /**
   * `none`: no runner ever registered the workflow; `gone`: none of them is live; `full`: the live
   * ones execute as many runs as they may; `free`: the run is taken next.
   */
  readonly lack: 'none' | 'gone' | 'full' | 'free';
  readonly app: string;
  readonly workflow: string;
  /** The runner to which the run is pinned. */
  readonly runner?: string;
  readonly registered: number;
  readonly live: number;
}

/** A runner did not answer, so the pass is sent again. */
export interface TransportWait extends Wait {
  readonly kind: 'transport';
  readonly failures: number;
  /** The run fails at so many. */
  readonly maxFailures: number;
  readonly error?: StepError;
}

/** A person must decide. */
export interface ApprovalWait extends Wait, OfStep {
  readonly kind: 'approval';
  readonly approvalId: string;
  readonly tool: string;
  readonly risk: string;
  readonly isEscalated: boolean;
  readonly onTimeout: 'escalate' | 'approve' | 'reject' | 'fail';
}

/** The start of the run is delayed. */
export interface StartWait extends Wait {
  readonly kind: 'start';
  readonly policy?: 'throttle' | 'tokenThrottle';
  readonly key?: string;
}

/** All slots of the `concurrency` scope are taken. */
export interface ConcurrencyWait extends Wait, Held {
  readonly kind: 'concurrency';
  /** The value at the key of the policy; absent for the whole workflow. */
  readonly key?: string;
}

/** The project executes as many runs as its ceiling allows. */
export interface CeilingWait extends Wait, Held {
  readonly kind: 'ceiling';
}

/** A failed step, or without `step` the handler, is tried again. */
export interface RetryWait extends Wait, Partial<OfStep> {
  readonly kind: 'retry';
  readonly nextAttempt: number;
  /** By the policy of the workflow. A step may have its own. */
  readonly maxAttempts?: number;
  readonly error?: StepError;
}

/** A model is to answer a call that the service makes. */
export interface InferenceWait extends Wait, OfStep {
  readonly kind: 'inference';
  readonly lane: {
    readonly provider: string;
    readonly model: string;
    readonly keyFrom: 'project' | 'settings';
    readonly inFlight: number;
    readonly limit: number;
    readonly waiting: number;
    readonly heldUntil?: string;
    readonly heldFor?: string;
  };
  readonly isInFlight: boolean;
  /** Whether it waits for other calls of the run, which may reach its cap. */
  readonly isCapped: boolean;
  readonly nextSendAt: string;
}

/** A child run must end. */
export interface ChildWait extends Wait, OfStep {
  readonly kind: 'child';
  readonly childRunId: string;
  readonly childStatus: RunStatus;
  /** The child, its child, and so on, to the run whose first cause is no child. */
  readonly path: readonly string[];
  /** The first cause of the last run of `path`; absent if that executes. */
  readonly because?: Exclude<RunWait, ChildWait>;
}

/** An event must come. */
export interface EventWait extends Wait, OfStep {
  readonly kind: 'event';
  readonly eventName: string;
  readonly guard?: string;
  /** The last three events of the name that came meanwhile, and that the guard refused. */
  readonly refused: readonly { readonly id: string; readonly receivedAt: string }[];
}

export interface SleepWait extends Wait, OfStep {
  readonly kind: 'sleep';
}

/** A cause for which an unfinished run does not move, told apart by `kind`. */
export type RunWait =
  | PausedWait
  | DispatcherWait
  | RunnerWait
  | TransportWait
  | ApprovalWait
  | StartWait
  | ConcurrencyWait
  | CeilingWait
  | RetryWait
  | InferenceWait
  | ChildWait
  | EventWait
  | SleepWait;

/** Why a run failed. */
export interface RunFailure {
  readonly kind:
    | 'step'
    | 'step_retries_spent'
    | 'handler'
    | 'handler_retries_spent'
    | 'child_failed'
    | 'child_cancelled'
    | 'approval_denied'
    | 'approval_timeout'
    | 'no_runner'
    | 'transport'
    | 'cap'
    | 'inference'
    | 'flow_control'
    | 'unsupported_opcode'
    | 'non_determinism'
    | 'max_duration'
    | 'service_limit'
    | 'rejected';
  /** The step whose failure ended the run. */
  readonly step?: {
    readonly name: string;
    readonly index: number;
    readonly attempts: number;
    readonly startedAt: string;
    readonly endedAt?: string;
  };
  readonly maxAttempts?: number;
  readonly error?: StepError;
  readonly childRunId?: string;
  readonly approvalId?: string;
  /** The last 20 lines. */
  readonly logs: readonly RunLogLine[];
  /** Runs of the workflow that failed within 24 h at the same step, with a like error. */
  readonly alike: {
    readonly count: number;
    readonly isMore: boolean;
    readonly first?: string;
    readonly last?: string;
    readonly runIds: readonly string[];
  };
}

/** Why a run is where it is, derived from records. */
export interface RunDiagnosis {
  readonly status: RunStatus;
  readonly verdict:
    | 'succeeded'
    | 'failed'
    | 'cancelled'
    | 'running'
    | 'waiting'
    | 'queued'
    | 'retrying'
    | 'needs_decision'
    | 'paused'
    | 'stuck';
  /** Words of the service only. */
  readonly summary: string;
  readonly causes: readonly RunWait[];
  readonly failure?: RunFailure;
  readonly cancellation?: {
    readonly by: 'caller' | 'bulk' | 'event' | 'parent' | 'singleton' | 'ttl' | 'unknown';
    readonly actor?: string;
    readonly eventId?: string;
    readonly runId?: string;
  };
  /** Calls that could follow, by the names of the agent tools. */
  readonly next: readonly {
    readonly action: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly why: string;
  }[];
}

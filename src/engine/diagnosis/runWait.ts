import type { OnTimeout } from '../approvals/index.ts';
import type { LaneState } from '../inference/index.ts';
import type { RunStatus, WaitError } from '../runs/index.ts';

/**
 * Everything that an unfinished run can wait for, the most important first: first the causes that a
 * person or an operator must end, then the limits, then the waits that end by themselves.
 */
export const runWaitKinds = [
  'paused',
  'dispatcher',
  'runner',
  'transport',
  'approval',
  'start',
  'concurrency',
  'ceiling',
  'retry',
  'inference',
  'child',
  'event',
  'sleep',
] as const;
export type RunWaitKind = (typeof runWaitKinds)[number];

/** The step of a cause that belongs to one step. */
export interface WaitingStep {
  name: string;
  index: number;
  attempt: number;
}

interface Wait {
  /** Since when the cause holds; undefined if that is not recorded. */
  since?: Date | undefined;
  /** When it ends by itself; undefined: never, or nobody knows. */
  until?: Date | undefined;
}

interface StepWait extends Wait {
  step: WaitingStep;
}

/** A count that ends at a limit. */
export interface BoundedCount {
  count: number;
  /** Whether there are more. */
  isMore: boolean;
}

/** A limit of runs that execute at once. */
interface LimitWait extends Wait {
  limit: number;
  inUse: number;
  /** Runs that execute under the limit, at most 20. */
  holders: readonly string[];
  /** Runs that have their turn before. */
  ahead: BoundedCount;
}

/** 2.2 `concurrency`: all slots of the scope are taken. */
export interface ConcurrencyWait extends LimitWait {
  kind: 'concurrency';
  /** The scope's value at the policy's key; undefined for the whole workflow. */
  key: string | undefined;
}

/** The project's ceiling of executing runs is reached. */
export interface CeilingWait extends LimitWait {
  kind: 'ceiling';
}

export const startPolicies = ['throttle', 'tokenThrottle'] as const;
export type StartPolicy = (typeof startPolicies)[number];

/** The start of the run is delayed. */
export interface StartWait extends Wait {
  kind: 'start';
  /**
   * The policy that delays it; undefined if its caller does, or if a registration has removed it.
   */
  policy: StartPolicy | undefined;
  /** The scope's value at the policy's key, where the run records it. */
  key: string | undefined;
}

/**
 * What the run's lane lacks: a runner that ever registered, one that is live, room in the live
 * ones. `free`: nothing, so a dispatcher takes the run next.
 */
export const runnerLacks = ['none', 'gone', 'full', 'free'] as const;
export type RunnerLack = (typeof runnerLacks)[number];

/** The run is to be executed, and no runner has taken it. It fails at `until`. */
export interface RunnerWait extends Wait {
  kind: 'runner';
  lack: RunnerLack;
  app: string;
  workflow: string;
  /** The runner to which the run is pinned. */
  runner: string | undefined;
  /** Runners that registered the workflow. */
  registered: number;
  live: number;
  /** Runs that the live ones execute at once. */
  limit: number;
  inUse: number;
  ahead: BoundedCount;
}

/** A runner did not answer, so the pass is sent again. */
export interface TransportWait extends Wait {
  kind: 'transport';
  /** Invokes without an answer. A time-out counts as three. */
  failures: number;
  /** The run fails at so many. */
  maxFailures: number;
  error: WaitError | undefined;
}

/** A failed step or handler is tried again. */
export interface RetryWait extends Wait {
  kind: 'retry';
  /** Undefined: the handler. */
  step?: WaitingStep | undefined;
  /** The attempt that comes. */
  nextAttempt: number;
  /** By the workflow's policy. A step may have its own. */
  maxAttempts: number | undefined;
  error: WaitError | undefined;
}

export interface SleepWait extends StepWait {
  kind: 'sleep';
}

/** An event that came while the run waited, and for which the guard did not hold. */
export interface RefusedEvent {
  id: string;
  receivedAt: Date;
}

export interface EventWait extends StepWait {
  kind: 'event';
  eventName: string;
  guard: string | undefined;
  /** The last three, newest first. */
  refused: readonly RefusedEvent[];
}

export interface ChildWait extends StepWait {
  kind: 'child';
  childRunId: string;
  childStatus: RunStatus;
  /**
   * The child, and its child, and so on, to the run whose first cause is no child. At most 10
   * runs.
   */
  path: readonly string[];
  /** The first cause of the last run of `path`; undefined if that executes. */
  because: Exclude<RunWait, ChildWait> | undefined;
}

export interface ApprovalWait extends StepWait {
  kind: 'approval';
  approvalId: string;
  tool: string;
  risk: string;
  /** Whether its deadline has passed, so that it has none any more. */
  isEscalated: boolean;
  onTimeout: OnTimeout;
}

export interface InferenceWait extends StepWait {
  kind: 'inference';
  lane: LaneState;
  /** Whether a request is on its way to the provider. */
  isInFlight: boolean;
  /** Whether the call waits for other calls of its run, which may reach the cap. */
  isCapped: boolean;
  /** When the call may be sent. */
  nextSendAt: Date;
}

/** The budget that paused a run. */
export interface SpentBudget {
  windowMs: number;
  maxCost: number | undefined;
  maxTokens: number | undefined;
}

/** A person or a budget paused the run. */
export interface PausedWait extends Wait {
  kind: 'paused';
  reason: 'manual' | 'budget';
  /** The name of the key of the person. */
  actor: string | undefined;
  /** Undefined if a person paused it, or if a registration has removed the budget. */
  budget: SpentBudget | undefined;
}

/** No process executes runs. */
export interface DispatcherWait extends Wait {
  kind: 'dispatcher';
  /** Dispatchers that beat. */
  alive: number;
}

/** One cause for which an unfinished run does not move. */
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

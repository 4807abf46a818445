import type { InferEmbed, InferText } from './ai/inferData.ts';
import type { FlowControl } from './flowControl.ts';

export type {
  AiPrice,
  InferAnswer,
  InferEmbed,
  InferFinish,
  InferMessage,
  InferPart,
  InferSchema,
  InferText,
  InferTool,
  InferToolCall,
  InferToolChoice,
  InferUsage,
  InferVectors,
} from './ai/inferData.ts';
export type { FlowControl } from './flowControl.ts';

/**
 * The wire between the service and a runner, as `docs/runner-protocol.md` describes it: frames,
 * requests, answers, opcodes, close codes. Both ends import this file; it has no run-time
 * dependency.
 */
export const protocolVersion = 1;

/** The largest answer of a handler, and `body` of a frame. A whole frame may be a little larger. */
export const bodyLimitBytes = 1024 * 1024;
export const frameLimitBytes = bodyLimitBytes + 64 * 1024;

/** The most steps that an answer may report. */
export const opcodeLimit = 1000;

/** The parts of the protocol that a `hello` may offer, and a `ready` accept. */
export const features = ['started', 'continue'] as const;
export type Feature = (typeof features)[number];

/** How long the body of a step executes before a runner tells of it. */
export const startedAfterMs = 500;
/** The most started steps that a pass tells of. */
export const startedLimit = 100;

export interface StepError {
  name?: string | undefined;
  message: string;
  stack?: string | undefined;
}

/**
 * An error that a handler threw. `stepId` is the step whose final failure the handler let through;
 * null means none. Without `stepId`, the service compares the errors.
 */
export interface HandlerError extends StepError {
  stepId?: string | null | undefined;
}

export const backoffs = ['fixed', 'linear', 'exponential'] as const;
export type Backoff = (typeof backoffs)[number];

export interface RetryPolicy {
  /** All attempts together; 1 means no retry. */
  maxAttempts?: number | undefined;
  backoff?: Backoff | undefined;
  initialDelayMs?: number | undefined;
  maxDelayMs?: number | undefined;
}

export type WireTrigger = { event: string; if?: string | undefined } | { cron: string };

/** `if` is CEL over `event`, `data` and `run`; `run` has the `input` of the run. */
export interface WireCancel {
  event: string;
  if?: string | undefined;
}

export interface StepManifestEntry {
  name: string;
  description?: string | undefined;
  hidden?: boolean | undefined;
}

/** A definition as a runner registers it, with flow-control policies as flat fields. */
export interface WireWorkflow extends FlowControl {
  name: string;
  triggers?: WireTrigger[] | undefined;
  retry?: RetryPolicy | undefined;
  onFailure?: boolean | undefined;
  steps?: StepManifestEntry[] | undefined;
  /** In milliseconds. A run that takes longer fails, and its children are cancelled. */
  maxDuration?: number | undefined;
  /** Events that cancel the unfinished runs. */
  cancelOn?: WireCancel[] | undefined;
}

/** The body of `POST /register`. */
export interface Registration {
  app: string;
  runner?: string | undefined;
  url: string;
  runtime?: string | undefined;
  language?: string | undefined;
  version?: string | undefined;
  sdkName?: string | undefined;
  framework?: string | undefined;
  region?: string | undefined;
  protocolVersion?: number | undefined;
  /** Passes to execute at once. Default: 100. */
  maxInFlight?: number | undefined;
  workflows: WireWorkflow[];
}

export interface RegistrationAnswer {
  runnerId: string;
  app: string;
  workflows: string[];
  protocolVersion: number;
  invokeSecret: string;
}

export interface WireEvent {
  id?: string | undefined;
  name: string;
  data?: unknown;
  ts?: string | undefined;
  /** The headers that its webhook source exposes, by name in lower case. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The memo of a step: a result, an error, or the note that it has started and is parked. */
export type MemoEntry = { data: unknown } | { error: StepError } | { pending: true };

export interface InvokeContext {
  runId: string;
  workflow: string;
  /** Run-level counter, from 1. */
  attempt: number;
  app: string;
  /** The pinned runner; empty for anycast. */
  runner: string;
  onFailure?: boolean | undefined;
  error?: StepError | undefined;
  traceparent?: string | undefined;
  tags?: Record<string, string> | undefined;
  session?: string | undefined;
  triggerKind?: 'event' | 'cron' | 'manual' | undefined;
  replayOf?: string | undefined;
  /** The next attempt of each step that failed before. Keyed like `steps`. */
  stepAttempts?: Record<string, number> | undefined;
  /** Present if the workflow has a `cap`. */
  ai?: AiAllowance | undefined;
}

/** The spend of a run's AI steps before this pass, and the limits of its `cap`. */
export interface AiAllowance {
  /** Input and output tokens. */
  tokens: number;
  /** US dollars; absent until a call reported its cost. */
  cost?: number | undefined;
  maxTokens?: number | undefined;
  maxCost?: number | undefined;
}

/** Names the limit of the cap that the run has reached; undefined while another call is allowed. */
export function capReached({ tokens, cost, maxTokens, maxCost }: AiAllowance): string | undefined {
  const spent = 'the AI steps of this run have spent';
  if (maxTokens !== undefined && tokens >= maxTokens) return `${spent} ${tokens} tokens; its cap is ${maxTokens}`;
  if (maxCost !== undefined && cost !== undefined && cost >= maxCost)
    return `${spent} $${cost}; its cap is $${maxCost}`;
  return undefined;
}

/** The body of `POST /invoke`, and the `request` of an `invoke` frame. */
export interface InvokeRequest {
  event: WireEvent;
  events?: WireEvent[] | undefined;
  /** Keyed by hashed step id. */
  steps: Record<string, MemoEntry>;
  /** The ids of the ended steps, in the order of their ends. Absent for fewer than two. */
  order?: string[] | undefined;
  ctx: InvokeContext;
}

export const opcodeKinds = [
  'StepRun',
  'Sleep',
  'SleepUntil',
  'WaitForEvent',
  'RunWorkflow',
  'Emit',
  'Webhook',
  'Approval',
  'Infer',
  'Score',
] as const;
export type OpcodeKind = (typeof opcodeKinds)[number];

/** The usage of a model call. An absent number was not reported, which differs from zero. */
export interface AiUsage {
  model?: string | undefined;
  /** Whole numbers. */
  /** With cached tokens. */
  tokensIn?: number | undefined;
  tokensOut?: number | undefined;
  /** Of the input, those that the provider read from its cache. */
  cachedTokensIn?: number | undefined;
  /** Of the input, those that the provider wrote to its cache. */
  cacheWriteTokensIn?: number | undefined;
  /** Of the output. */
  reasoningTokens?: number | undefined;
  /** US dollars. Without a cost, limits on cost do not apply. */
  cost?: number | undefined;
  latencyMs?: number | undefined;
  /** Whether a cache answered; absent if no cache was asked. */
  cacheHit?: boolean | undefined;
}

interface OpcodeBase {
  /** Hashed step id. */
  id: string;
  name: string;
}

export interface StepRunOpcode extends OpcodeBase {
  op: 'StepRun';
  data?: unknown;
  input?: unknown;
  error?: StepError | undefined;
  retriable?: boolean | undefined;
  retryAfterMs?: number | undefined;
  /** With `error`: fields that replace those of the workflow's policy, for this step. */
  retry?: RetryPolicy | undefined;
  /** The step was skipped; `data` is the reason. */
  skipped?: boolean | undefined;
  ai?: unknown;
  usage?: AiUsage | undefined;
}
export interface SleepOpcode extends OpcodeBase {
  op: 'Sleep';
  sleepMs: number;
  /** How long before the answer the handler called the step. The sleep counts from then. */
  agoMs?: number | undefined;
}
export interface SleepUntilOpcode extends OpcodeBase {
  op: 'SleepUntil';
  /** UTC epoch milliseconds. */
  sleepUntilMs: number;
}
export interface WaitForEventOpcode extends OpcodeBase {
  op: 'WaitForEvent';
  eventName: string;
  timeoutMs?: number | undefined;
  /** CEL over the event. */
  eventIf?: string | undefined;
  /** The wait also takes an event that was received from then on: UTC epoch milliseconds. */
  sinceMs?: number | undefined;
}
export interface EmitOpcode extends OpcodeBase {
  op: 'Emit';
  eventName: string;
  data?: unknown;
  dedupeId?: string | undefined;
  targetApp?: string | undefined;
  tags?: Record<string, string> | undefined;
  session?: string | undefined;
}
export interface RunWorkflowOpcode extends OpcodeBase {
  op: 'RunWorkflow';
  childName: string;
  childData?: unknown;
  childApp?: string | undefined;
  childRunner?: string | undefined;
  childTags?: Record<string, string> | undefined;
}
export interface WebhookOpcode extends OpcodeBase {
  op: 'Webhook';
  webhookUrl: string;
  data?: unknown;
}
export interface ApprovalOpcode extends OpcodeBase {
  op: 'Approval';
  tool: string;
  data?: unknown;
  risk?: string | undefined;
  policy?: string | undefined;
  summary?: string | undefined;
  context?: string | undefined;
  escalatesTo?: string | undefined;
  timeoutMs?: number | undefined;
  onTimeout?: 'escalate' | 'approve' | 'reject' | 'fail' | undefined;
}
export interface InferOpcode extends OpcodeBase {
  op: 'Infer';
  data: InferText | InferEmbed;
  ai?: unknown;
  usage?: AiUsage | undefined;
}
export interface ScoreOpcode extends OpcodeBase {
  op: 'Score';
  data: unknown;
}

export type Opcode =
  | StepRunOpcode
  | SleepOpcode
  | SleepUntilOpcode
  | WaitForEventOpcode
  | EmitOpcode
  | RunWorkflowOpcode
  | WebhookOpcode
  | ApprovalOpcode
  | InferOpcode
  | ScoreOpcode;

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const rootScope = '@root';

export interface WireLogLine {
  level: LogLevel;
  message: string;
  fields?: Record<string, unknown> | undefined;
  /** Step name, or `@root`. */
  scope: string;
  /** Counts per scope, from 0. Identifies the line across passes. */
  index: number;
  /** The runner's clock; advisory. */
  tsMs: number;
}

/**
 * The answer to a pass. `200`: the run is complete; `206`: steps were discovered; `500`: the
 * handler threw.
 */
export type PassAnswer =
  | { status: 200; body: { data?: unknown; logs: WireLogLine[] } }
  | {
      status: 206;
      body: {
        opcodes: Opcode[];
        /**
         * How many steps of the memo the handler reached. Absent: unknown, or the memo was empty. A
         * handler that reaches none in many passes in a row varies its step ids.
         */
        reached?: number | undefined;
        logs: WireLogLine[];
      };
    }
  /**
   * `retriable: false` excludes further attempts. `retryAfterMs` replaces the policy's delay before
   * the next one.
   */
  | {
      status: 500;
      body: {
        error: HandlerError;
        retriable?: boolean | undefined;
        retryAfterMs?: number | undefined;
        logs: WireLogLine[];
      };
    };

// --- WebSocket frames

export interface HelloFrame {
  type: 'hello';
  protocolVersion?: number | undefined;
  app: string;
  runner?: string | undefined;
  runtime?: string | undefined;
  language?: string | undefined;
  framework?: string | undefined;
  sdkName?: string | undefined;
  version?: string | undefined;
  region?: string | undefined;
  maxInFlight?: number | undefined;
  /** The features that this runner knows. Unknown names are ignored. */
  features?: string[] | undefined;
  workflows: WireWorkflow[];
}
export interface StartedStep {
  /** Hashed step id. */
  id: string;
  name: string;
  attempt: number;
  /** Since the body was called. */
  elapsedMs: number;
  /**
   * Its place, from 0, among the steps that the answer will report for the first time. Default:
   * after all steps that are known.
   */
  position?: number | undefined;
}
/**
 * The bodies of these steps have been executing for `startedAfterMs`. Sent only if `ready` accepted
 * the feature `started`.
 */
export interface StartedFrame {
  type: 'started';
  /** The id of the invoke that executes them. */
  id: string;
  steps: StartedStep[];
}
export interface ResultFrame {
  type: 'result';
  /** The id of the answered invoke. */
  id: string;
  status: number;
  body: unknown;
  /**
   * With a `206`: the runner keeps the handler suspended, and can continue it. Sent only if `ready`
   * accepted the feature `continue`.
   */
  held?: boolean | undefined;
}
/** The answer to a `continue` whose handler the runner does not hold any more. */
export interface LostFrame {
  type: 'lost';
  /** The id of the `continue`. */
  id: string;
}
export interface PongFrame {
  type: 'pong';
}
/** The runner takes no new pass. Sent to services whose `accepts` names `drain`. */
export interface RunnerDrainFrame {
  type: 'drain';
  /**
   * Ids of the invokes that the runner will still answer; no other was started. Default: all that
   * reach it.
   */
  inFlight?: string[] | undefined;
}
export type RunnerFrame = HelloFrame | StartedFrame | ResultFrame | LostFrame | PongFrame | RunnerDrainFrame;

export interface ReadyFrame {
  type: 'ready';
  runnerId: string;
  protocolVersion: number;
  heartbeatMs: number;
  /**
   * Frames that this service accepts beyond `hello`, `result` and `pong`. Older services omit the
   * field, and accept no more.
   */
  accepts?: string[] | undefined;
  /** The features of the `hello` that this service knows, too. Absent if there are none. */
  features?: string[] | undefined;
}
export interface InvokeFrame {
  type: 'invoke';
  id: string;
  request: InvokeRequest;
}
/** An entry of a `continue`. `ok`: the step is saved with the result that this runner reported. */
export type ContinuedEntry = MemoEntry | { ok: true };

/**
 * Continues a handler that the runner holds, in place of an `invoke`. The answer has the same
 * meaning.
 */
export interface ContinueFrame {
  type: 'continue';
  id: string;
  /** The id of the invoke, or of the `continue`, whose answer was `held`. */
  of: string;
  /** The entries of the memo that are new or have changed since, in the order of the memo. */
  steps: Record<string, ContinuedEntry>;
  /** Present if the workflow has a `cap`. */
  ai?: AiAllowance | undefined;
}
export interface PingFrame {
  type: 'ping';
}
export interface CancelFrame {
  type: 'cancel';
  id: string;
  reason: string;
}
export interface DrainFrame {
  type: 'drain';
}
export interface ErrorFrame {
  type: 'error';
  error: string;
}
export type ServiceFrame = ReadyFrame | InvokeFrame | ContinueFrame | PingFrame | CancelFrame | DrainFrame | ErrorFrame;

export const closeCodes = {
  malformed: 4400,
  badKey: 4401,
  publicKey: 4403,
  silent: 4408,
  protocolVersion: 4409,
  /** Another connection of the same runner replaced this one. */
  replaced: 4410,
  frameTooLarge: 4413,
  restarting: 1012,
} as const;

import type { StepError } from '@holdfast/sdk/protocol';
import type { CappedSpend } from '../ai/index.ts';
import type { Envelope } from '../model/index.ts';
import type { TriggerKind } from '../runs/index.ts';
import type { Transport } from '../tally/index.ts';
import type { Taken } from '../work/index.ts';
import type { Memo } from './memo.ts';
import type { StartedSteps } from './startedSteps.ts';
import type { Fruitless } from './transport.ts';

/**
 * A run that this process has leased, with all data for an invoke. Exists from the claim to the
 * release.
 */
export interface Pass extends Fruitless {
  readonly runId: string;
  readonly projectId: string;
  readonly app: string;
  readonly workflow: string;
  readonly laneId: number;
  /** The pinned runner; empty for anycast. */
  readonly runner: string;
  readonly dispatcherId: string;
  /**
   * The slot and ceiling that the run frees when its lease ends; undefined without such a limit.
   */
  readonly taken: Taken | undefined;
  readonly depth: number;
  /** Absent at the top. */
  readonly parentRunId: string | undefined;
  /** When the first pass of the run began. */
  readonly startedAt: Date;
  readonly input: PassInput;
  /** With the dispatcher's id the token that fences late commits; grows with every commit. */
  claimNo: number;
  /** The number of changes from outside (`wakes`) when the memo was read. */
  wakes: number;
  /** The run-level attempt, from 1. */
  attempt: number;
  /** The database's clock when the memo was read or last written: by it retries are due. */
  dbNow: Date;
  memo: Memo;
  /** The steps that the runner told of before their results. */
  readonly started: StartedSteps;
  /** The version of the definition by which the last answer was judged. */
  version: string | undefined;
  /** The memo as of the last request. */
  told: Told | undefined;
  /** Of the last answer, if its handler can be continued. */
  reported: Reported | undefined;
  /** The cap of AI spend and the spend so far; undefined if the workflow has no `cap`. */
  ai: CappedSpend | undefined;
}

/** The memo as a runner knows it: by its last request, full or continued. */
export interface Told {
  memo: Memo;
  /** The number of settled steps, which stand first. */
  settled: number;
  pending: ReadonlySet<string>;
}

/** The results that an answer reported, by step, as JSON text. The memo holds them as reported. */
export type Reported = ReadonlyMap<string, string | undefined>;

/** The part of an invoke request that stays the same in every pass. */
export interface PassInput {
  eventName: string;
  eventId: string | undefined;
  /** JSON text. */
  data: string;
  /** JSON text of the batch; undefined unless batched. */
  events: string | undefined;
  envelope: Envelope;
  receivedAt: Date;
  tags: Record<string, string> | undefined;
  session: string | undefined;
  triggerKind: TriggerKind;
  replayOf: string | undefined;
  onFailure: { error: StepError } | undefined;
}

/** The reply to an invoke, and how its runner is reached. */
export type Reply = ReplyContent & { over?: Transport };

type ReplyContent =
  /**
   * An HTTP status with a body as the runner sent it, over either transport. `elapsedMs`: from
   * sending to receiving. `isHeld`: the runner keeps the handler suspended.
   */
  | { kind: 'answer'; status: number; body: string; elapsedMs: number; isHeld?: boolean }
  /** The body exceeded the limit. The pass fails as if a step had failed. */
  | { kind: 'tooLarge'; elapsedMs: number }
  | Unanswered;

/** No answer, or an unreadable one. Counts against the transport budget. */
export interface Unanswered {
  kind: 'transport';
  reason: string;
  socketLost: boolean;
  /** No answer came within the limit. The handler may have run all that time. */
  hasTimedOut?: boolean;
  /** The runner that did not answer, if the link still knows it. */
  from?: { runner: string; origin: string };
}

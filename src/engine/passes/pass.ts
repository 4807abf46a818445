import type { StepError } from '@holdfast/sdk/protocol';
import type { CappedSpend } from '../ai/index.ts';
import type { TriggerKind } from '../runs/index.ts';
import type { Taken } from '../work/index.ts';
import type { Memo } from './memo.ts';
import type { Fruitless } from './transport.ts';

/**
 * A run that this process has leased, with all that an invoke needs. Lives from its claim until it
 * is released.
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
   * What the run gives back when its lease ends; undefined where nothing limits how many execute.
   */
  readonly taken: Taken | undefined;
  readonly depth: number;
  /** Absent at the top. */
  readonly parentRunId: string | undefined;
  readonly input: PassInput;
  /** With the dispatcher's id the token that fences late commits; grows with every commit. */
  claimNo: number;
  /** What had happened to the run from outside when its memo was read. */
  wakes: number;
  /** Run-level counter, from 1. */
  attempt: number;
  /** The database's clock when the memo was read or last written: by it retries are due. */
  dbNow: Date;
  memo: Memo;
  /**
   * What the run may spend on AI steps, and has spent; undefined where the workflow has no `cap`.
   */
  ai: CappedSpend | undefined;
}

/** The part of an invoke request that stays the same in every pass. */
export interface PassInput {
  eventName: string;
  eventId: string | undefined;
  /** JSON text. */
  data: string;
  /** JSON text of the batch; undefined unless batched. */
  events: string | undefined;
  receivedAt: Date;
  tags: Record<string, string> | undefined;
  session: string | undefined;
  triggerKind: TriggerKind;
  replayOf: string | undefined;
  onFailure: { error: StepError } | undefined;
}

/** What came of an invoke. */
export type Reply =
  /**
   * An HTTP status with a body as the runner sent it, over either transport. `elapsedMs`: from
   * sending to receiving.
   */
  | { kind: 'answer'; status: number; body: string; elapsedMs: number }
  /** The body was over the limit: fails the pass as a failed step would. */
  | { kind: 'tooLarge'; elapsedMs: number }
  | Unanswered;

/** No answer, or none that can be read: counts against the transport budget. */
export interface Unanswered {
  kind: 'transport';
  reason: string;
  socketLost: boolean;
  /** The runner that was to answer, where the link knows more than that it is gone. */
  from?: { runner: string; origin: string };
}

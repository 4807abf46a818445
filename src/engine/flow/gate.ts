import type { FlowControl } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import type { RawJson } from '../json/index.ts';
import type { TriggerKind } from '../runs/index.ts';
import type { ScopeKey } from './scope.ts';

export type PolicyName = keyof FlowControl;

/** A policy as it was registered. */
export type PolicySettings<Name extends PolicyName> = NonNullable<FlowControl[Name]>;

/** `FlowControl`, typed so that generic functions can look up any policy. */
export type PolicySet = { [Name in PolicyName]?: PolicySettings<Name> | undefined };

/** A policy with the scope of one start. */
export type Scoped<Policy> = Policy & { scope: ScopeKey };

/** The policies that may drop, merge or delay a start (2.2). */
export type Gates = { [Name in PolicyName]?: Scoped<PolicySettings<Name>> | undefined };

/**
 * The origin of a start decides which policies apply to it:
 * - `start`: an event, a schedule or a trigger call.
 * - `debounced`, `batched`: such a start after its buffer was flushed.
 * - `call`: a child run, whose parent waits for the result. Such a start never enters a
 *   buffer.
 * - `fork`: a replay or a retry of one past run. Only a singleton holder can stop it.
 * - `followOn`: handles a failure. Such a start is immediate, unless the budget is spent.
 */
export type Origin = 'start' | 'debounced' | 'batched' | 'call' | 'fork' | 'followOn';

/** The part of a start that gates and buffers use. */
export interface PlannedStart {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  triggerKind: TriggerKind;
  eventName: string | undefined;
  eventId: string | undefined;
  /** The `dedupeId` of a manual trigger. */
  dedupeId?: string | undefined;
  session: string | undefined;
  /** The pinned runner; undefined for anycast. */
  runner: string | undefined;
  depth: number;
  /** JSON text of the tags; undefined when there are none. */
  tags: string | undefined;
  input: RawJson;
  /** JSON text of the event's envelope; undefined when it has none. */
  envelope?: string | undefined;
  /** The arrival time of its event or call, if that is not now. */
  receivedAt?: Date | undefined;
  /** The keys of the agents that started it; undefined for other starts. */
  startedBy?: readonly string[] | undefined;
  /** The start time that the caller asked for; undefined: now. */
  notBefore?: Date | undefined;
  /** How long the start holds, from its start time on; undefined: without limit. */
  ttlMs?: number | undefined;
  /** The `step.runWorkflow` call that spawned it (2.4). */
  parent: { runId: string; step: string; attempt: number } | undefined;
}

/** The queue columns of a run that its definition sets. */
export interface QueueShape {
  /** Digest of the `concurrency` scope that counts the run; undefined without that policy. */
  slot: string | undefined;
  slotScope: ScopeKey | undefined;
  /** How much earlier the run counts as enqueued (`priority`), in ms. */
  shiftMs: number;
  /** The scope from which its tokens are debited (`tokenThrottle`). */
  tokenScope: ScopeKey | undefined;
  /** How long it may take, from its creation or its start time; undefined: without limit. */
  maxDurationMs: number | undefined;
  /** Whether an event may cancel it (`cancelOn`). */
  cancellable: boolean;
}

/** A key that allows one start per window. Duplicates are dropped. */
export interface DedupeKey {
  scope: string;
  key: string;
}

/** Why a start was withheld, as shown in answers and records (4.3). */
export type Withheld = 'skipped' | 'dropped' | 'debounced' | 'batched' | 'deduped';

/** A start whose run was recorded or withheld. */
export interface RecordedStart {
  readonly run: Pick<PlannedStart, 'runId' | 'projectId' | 'app' | 'workflow'>;
  readonly gates: Gates;
  /** Why the run was withheld; undefined if it was recorded. */
  withheld: Withheld | undefined;
}

/** A start after the first gates, or a fork. */
export interface StartCandidate extends RecordedStart {
  /** The run that caused the start to be withheld. */
  existingRunId?: string | undefined;
  /** The buffer that took the start: the id of its run, unless the buffer becomes several runs. */
  bufferId?: string | undefined;
  /** The start time that the caller asked for; undefined: now. */
  notBefore?: Date | undefined;
  /** The earliest start time. */
  startAt: Date | undefined;
  /** The `throttle` scope in which it takes its turn at that time; undefined: none. */
  owedTurn?: ScopeKey | undefined;
  /** Digest of the singleton that it will hold. */
  singleton: string | undefined;
}

/** A start that passes all gates. */
export interface Candidate extends StartCandidate {
  readonly run: PlannedStart;
}

/** A transaction that records runs. */
export interface RecordingTransaction {
  ctx: EngineContext;
  tx: Transaction;
}

/** The transaction in which gates decide, and which records the admitted runs. */
export interface AdmissionTransaction extends RecordingTransaction {
  /** A run whose queue row the caller has locked, and whose end the caller writes. */
  own: string | undefined;
  /** Whether a candidate has displaced `own` as the singleton holder. */
  isOwnDisplaced: boolean;
  /** Cancels displaced singleton holders, in this transaction. */
  cancelDisplaced(runIds: readonly string[]): Promise<void>;
}

/** A start that a policy must decide about. */
export interface Ask<Name extends PolicyName, Seen extends StartCandidate = Candidate> {
  candidate: Seen;
  policy: Scoped<PolicySettings<Name>>;
}

/**
 * The stages of a start, in order, with the starts that each stage sees. Every stage but `giveBack`
 * sees only starts that are not withheld yet.
 */
interface SeenBy {
  /** Drops the duplicate of an earlier start. */
  dedupe: Candidate;
  /** Drops a start whose singleton has a holder. */
  skip: Candidate;
  /** Drops a start that exceeds a rate. */
  shed: Candidate;
  /** Keeps the last start until the scope is quiet. A flushed start continues after this stage. */
  debounce: Candidate;
  /** Collects starts for one run. A flushed start continues after this stage. */
  gather: Candidate;
  /** Makes the run the holder of its singleton. Forks enter here. */
  occupy: StartCandidate;
  /** Sets the earliest start time. */
  delay: StartCandidate;
  /** Sees the withheld starts, and releases what they acquired. */
  giveBack: Candidate;
}

export type Stage = keyof SeenBy;
export type Seen<S extends Stage> = SeenBy[S];

/** Decides about each start: may set `withheld`, `startAt` or `singleton`. */
export type Gate<Name extends PolicyName, S extends Stage> = (
  admission: AdmissionTransaction,
  asks: readonly Ask<Name, Seen<S>>[],
) => Promise<void>;

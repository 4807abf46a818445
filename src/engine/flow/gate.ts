import type { FlowControl } from '@holdfast/sdk/protocol';
import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import type { RawJson } from '../json/index.ts';
import type { TriggerKind } from '../runs/index.ts';
import type { ScopeKey } from './scope.ts';

export type PolicyName = keyof FlowControl;

/** A policy as it was registered. */
export type PolicySettings<Name extends PolicyName> = NonNullable<FlowControl[Name]>;

/** `FlowControl`, in the form in which generic functions may look up any policy. */
export type PolicySet = { [Name in PolicyName]?: PolicySettings<Name> | undefined };

/** A policy together with the scope that a start falls into. */
export type Scoped<Policy> = Policy & { scope: ScopeKey };

/** The policies that may drop a start, merge it or delay it (2.2). */
export type Gates = { [Name in PolicyName]?: Scoped<PolicySettings<Name>> | undefined };

/**
 * The origin of a start decides which policies apply to it:
 * - `start`: an event, a schedule or a trigger call.
 * - `debounced`, `batched`: such a start after its buffer was flushed.
 * - `call`: a run that waits for the result of this one. It is neither merged with other starts nor
 *   delayed for them.
 * - `fork`: a decision about one run of the past. Only a singleton holder can stop it.
 * - `followOn`: handles a failure. It starts always and at once, unless the budget is spent.
 */
export type Origin = 'start' | 'debounced' | 'batched' | 'call' | 'fork' | 'followOn';

/** A start, as gates and buffers need it. */
export interface PlannedStart {
  runId: string;
  projectId: string;
  app: string;
  workflow: string;
  triggerKind: TriggerKind;
  eventName: string | undefined;
  eventId: string | undefined;
  session: string | undefined;
  /** The pinned runner; undefined for anycast. */
  runner: string | undefined;
  depth: number;
  /** JSON text of the tags; undefined when there are none. */
  tags: string | undefined;
  input: RawJson;
  /** The time at which its event or call came, if that is not now. */
  receivedAt?: Date | undefined;
  /** The `step.runWorkflow` call that spawned it (2.4). */
  parent: { runId: string; step: string; attempt: number } | undefined;
}

/** The columns that a run takes along into the queue. */
export interface QueueShape {
  /** Digest of the scope in which `concurrency` counts the run; undefined without that policy. */
  slot: string | undefined;
  slotScope: ScopeKey | undefined;
  /** How much earlier it counts as enqueued (`priority`), in ms. */
  shiftMs: number;
  /** The scope from which its tokens are debited (`tokenThrottle`). */
  tokenScope: ScopeKey | undefined;
}

/** The first start with such a key counts; a repeat within the window starts nothing. */
export interface DedupeKey {
  scope: string;
  key: string;
}

/** Why a start was withheld, as answers and records name it (4.3). */
export type Withheld = 'skipped' | 'dropped' | 'debounced' | 'batched' | 'deduped';

/** A start whose run was recorded, or withheld. */
export interface RecordedStart {
  readonly run: Pick<PlannedStart, 'runId' | 'projectId' | 'app' | 'workflow'>;
  readonly gates: Gates;
  /** Why nothing starts, or not now. */
  withheld: Withheld | undefined;
}

/** A start that is past the door, or a fork. */
export interface StartCandidate extends RecordedStart {
  /** The run because of which nothing starts. */
  existingRunId?: string | undefined;
  /** Before this it does not start. */
  startAt: Date | undefined;
  /** Digest of the singleton whose holder it becomes. */
  singleton: string | undefined;
}

/** A start on its way through all gates. */
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
  /** Set when one of the candidates has displaced `own` as the singleton holder. */
  isOwnDisplaced: boolean;
  /** Cancels singleton holders that newer runs displace, in this transaction. */
  cancelDisplaced(runIds: readonly string[]): Promise<void>;
}

/** A start that a policy has to decide about. */
export interface Ask<Name extends PolicyName, Seen extends StartCandidate = Candidate> {
  candidate: Seen;
  policy: Scoped<PolicySettings<Name>>;
}

/**
 * The stages of a start, in their order, and the starts that the gates of each stage see. All but
 * `giveBack` see the starts that nothing has withheld yet.
 */
interface SeenBy {
  /** Drops the repeat of an earlier start. */
  dedupe: Candidate;
  /** Drops a start that a holder keeps out. */
  skip: Candidate;
  /** Drops a start that comes too fast. */
  shed: Candidate;
  /** Keeps the last start until the scope is quiet. A flushed start continues after this stage. */
  debounce: Candidate;
  /** Collects starts for one run. A flushed start continues after this stage. */
  gather: Candidate;
  /** Makes the run the holder of its scope. Forks enter here. */
  occupy: StartCandidate;
  /** Sets the time before which the run does not start. */
  delay: StartCandidate;
  /** Sees the withheld starts, and releases what they acquired. */
  giveBack: Candidate;
}

export type Stage = keyof SeenBy;
export type Seen<S extends Stage> = SeenBy[S];

/** Decides about each start that asks: sets `withheld`, `startAt` or `singleton`, or nothing. */
export type Gate<Name extends PolicyName, S extends Stage> = (
  admission: AdmissionTransaction,
  asks: readonly Ask<Name, Seen<S>>[],
) => Promise<void>;

import type { Claimed, ClaimedPass, Reply } from '../../../engine/passes/index.ts';
import type { PolledChanges } from '../../../engine/routing/index.ts';
import type { LaneGroup } from '../../../engine/work/index.ts';

type Untimed<Each> = Each extends Reply ? Omit<Each, 'elapsedMs'> : never;

/** A reply without its duration, because a link does not know when its invoke began. */
export type LinkReply = Untimed<Reply>;

/**
 * A runner slot reserved for the pass of an eager start or wake. One of its methods is called,
 * once.
 */
export interface EagerPass {
  /** The dispatcher that leases the run. */
  readonly dispatcherId: string;
  begin(pass: ClaimedPass): void;
  cancel(): void;
}

/**
 * A reservation is for a start, which queues behind all others, or for a run that goes on: now, or
 * within some milliseconds.
 */
export type EagerKind = 'start' | 'wake' | 'earlyWake';

/** The part of the engine's queue that the dispatcher uses. Tests script it. */
export interface Work {
  /** Registers this process as a dispatcher. Resolves with its id. */
  register(): Promise<string>;
  /** Renews the heartbeat. Not alive: others have freed the leases, and all passes are void. */
  tick(dispatcherId: string): Promise<{ alive: boolean }>;
  /**
   * Releases leases of this dispatcher that it does not know of, because an answer of the database
   * was lost.
   */
  releaseSuspects(dispatcherId: string): Promise<void>;
  /** Removes the dispatcher, and releases at once what is still leased to it. */
  retire(dispatcherId: string): Promise<void>;
  poll(question: {
    dispatcherId: string;
    laneIds: readonly number[];
    runIds: readonly string[];
  }): Promise<PolledChanges>;
  /**
   * Lets starts and wakes of this process reserve runner slots, until the returned function is
   * called.
   */
  offerSlots(reserve: (laneId: number, kind: EagerKind) => EagerPass | undefined): () => void;
  /** Claims the first runs of each lane group by queue position, from all its lanes. */
  claim(dispatcherId: string, groups: readonly LaneGroup[]): Promise<Claimed<ClaimedPass>>;
  /** Releases runs that were not executed, or will not be executed here any more. Never rejects. */
  release(passes: readonly ClaimedPass[]): Promise<void>;
}

import type { ClaimedPass, Reply } from '../../../engine/passes/index.ts';
import type { News } from '../../../engine/routing/index.ts';
import type { Demand, Pool, Shares } from '../../../engine/work/index.ts';

type Untimed<Each> = Each extends Reply ? Omit<Each, 'elapsedMs'> : never;

/** A reply as a link has it, which does not know when its invoke began. */
export type LinkReply = Untimed<Reply>;

/** A slot of a runner here, kept for a run that is about to start. Taken or left, once. */
export interface PassSeat {
  /** Under which the run is to be leased. */
  readonly dispatcherId: string;
  take(pass: ClaimedPass): void;
  leave(): void;
}

/** What the dispatcher needs of the engine's queue, and no more: tests script it. */
export interface Work {
  /** Enters this process as a dispatcher; resolves with its id. */
  register(): Promise<string>;
  /** Renews the heartbeat. Not alive: others took its runs, and all that it holds is void. */
  tick(dispatcherId: string): Promise<{ alive: boolean }>;
  /**
   * Hands back what may be leased under this id without our knowing: where an answer of the
   * database was lost.
   */
  releaseSuspects(dispatcherId: string): Promise<void>;
  /** Leaves in order: whatever is still leased goes back at once. */
  retire(dispatcherId: string): Promise<void>;
  news(question: { dispatcherId: string; laneIds: readonly number[]; runIds: readonly string[] }): Promise<News>;
  /** Lets runs that start in this process ask for seats, until the returned function is called. */
  offerSeats(give: (laneId: number) => PassSeat | undefined): () => void;
  /**
   * Gives the room of each pool to those of its runs that come first in the queue, whatever their
   * lane.
   */
  share(pools: readonly Pool[]): Promise<Shares>;
  claim(dispatcherId: string, demands: readonly Demand[]): Promise<ClaimedPass[]>;
  /** Hands back what was not executed, or will not be executed here any more. Never rejects. */
  release(passes: readonly ClaimedPass[]): Promise<void>;
}

/**
 * What the dispatcher needs of the engine's queue and passes, and no more: the loop and the gateway can be driven by a
 * scripted one.
 */

/** What the dispatcher reads of a claimed pass; the rest is the engine's. */
export interface ClaimedPass {
  readonly runId: string;
  readonly laneId: number;
}

/** What became of an invoke (4.10). `body` is JSON text as the runner sent it; nothing here has looked into it. */
export type Reply =
  | { kind: 'answer'; status: number; body: string; elapsedMs: number }
  /** The body was over the limit: fails the pass as a failed step would. */
  | { kind: 'tooLarge'; elapsedMs: number }
  | Unanswered;

/** No answer, or none that can be read: counts against the transport budget. */
export interface Unanswered {
  kind: 'transport';
  reason: string;
  socketLost: boolean;
  /** Whose answer it was to be, where the link knows more than that it is gone. */
  from?: { runner: string; origin: string };
}

/** A reply as a link has it, who does not know when its invoke began. */
export type LinkReply = { kind: 'answer'; status: number; body: string } | { kind: 'tooLarge' } | Unanswered;

export type Settled = 'again' | 'released';

/** What changed outside this process. */
export interface News {
  /** Changes with every change of a definition, runner or project. */
  registryEpoch: number;
  /** Changes with every lane made. */
  newestLane: number;
  /** Of the lanes asked about, those that hold runs to claim. */
  readyLanes: readonly number[];
  /** Of the runs asked about, those that are not ours any more. */
  lostRuns: readonly string[];
}

/** Lanes that the same runners take, and that share their room. */
export interface Pool {
  laneIds: readonly number[];
  /** Runs that there is capacity for, of all these lanes together. Positive. */
  limit: number;
}

/** How the room of pools is divided. */
export interface Shares {
  demands: readonly Demand[];
  /** Lanes that hold more than their share. */
  more: readonly number[];
}

export interface Demand {
  laneId: number;
  /** Runs that there is capacity for. Positive. */
  limit: number;
}

/** A slot of a runner here, kept for a run that is about to start. Taken or left, once. */
export interface PassSeat<Pass extends ClaimedPass> {
  /** Under which the run is to be leased. */
  readonly dispatcherId: string;
  take(pass: Pass): void;
  leave(): void;
}

/** `Pass` is the engine's object: it is handed back as it was received. */
export interface Work<Pass extends ClaimedPass> {
  /** Enters this process as a dispatcher; resolves with its id. */
  register(): Promise<string>;
  /** Renews the heartbeat. Not alive: others took its runs, and all that it holds is void. */
  tick(dispatcherId: string): Promise<{ alive: boolean }>;
  /** Hands back what may be leased under this id without our knowing: where an answer of the database was lost. */
  releaseSuspects(dispatcherId: string): Promise<void>;
  /** Leaves in order: whatever is still leased goes back at once. */
  retire(dispatcherId: string): Promise<void>;
  news(question: { dispatcherId: string; laneIds: readonly number[]; runIds: readonly string[] }): Promise<News>;
  /** Lets runs that start in this process ask for seats, until the returned function is called. */
  offerSeats(give: (laneId: number) => PassSeat<Pass> | undefined): () => void;
  /** Gives the room of each pool to those of its runs that come first in the queue, whatever their lane. */
  share(pools: readonly Pool[]): Promise<Shares>;
  claim(dispatcherId: string, demands: readonly Demand[]): Promise<Pass[]>;
  /** JSON text of the invoke request. */
  invokeText(pass: Pass): string;
  /** Commits what an invoke led to; never rejects. `again`: the pass is to be invoked again at once, its memo renewed. */
  settle(pass: Pass, reply: Reply): Promise<Settled>;
  /** Hands back what was not executed, or will not be executed here any more. Never rejects. */
  release(passes: readonly Pass[]): Promise<void>;
}

import type { EngineContext } from '../../context.ts';
import type { LeasedCall } from './leasedCall.ts';

export interface ClaimQuestion {
  processId: string;
  /** Whether the process has no calls, so its heartbeat may be old. */
  registers: boolean;
  /** The number of calls to lease at most. */
  room: number;
  /** `nextAfter` of the last claim; at first `firstPlace`. */
  after: string;
}

export interface Claim {
  calls: LeasedCall[];
  /** Whether more may be leased at once: the room, or the visits of one claim, were used up. */
  hasMore: boolean;
  /** False if others found the process dead. It must register anew. */
  isAlive: boolean;
  /** Where the next claim continues, so that keys and lanes take turns. */
  nextAfter: string;
  /** The ms until a hold ends or a call is due; undefined: none of those that were visited. */
  nextInMs: number | undefined;
}

/** Sorts before all places of the queue. */
export const firstPlace = '';

/** Leases due calls. */
export function claimCalls(_ctx: EngineContext, _question: ClaimQuestion): Promise<Claim> {
  throw new Error('not written yet');
}

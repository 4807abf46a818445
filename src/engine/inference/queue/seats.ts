import type { EngineContext } from '../../context.ts';
import { perEngine } from '../../perEngine.ts';
import type { LeasedCall } from './leasedCall.ts';

/** A send that is in the ledger. */
export interface BegunSend {
  number: number;
  idempotencyKey: string;
  startedAt: Date;
}

/** A call that was leased, and its send begun, in the commit that recorded its step. */
export interface BegunCall {
  call: LeasedCall;
  send: BegunSend;
}

/**
 * Places of a caller in this process for calls that are about to be recorded, so that neither a
 * claim nor a second commit comes before their requests. Exactly one of the two methods is called,
 * once.
 */
export interface Seats {
  /** The process that leases the calls. */
  readonly processId: string;
  /** Whether the process has no calls, so its heartbeat may be old. */
  readonly registers: boolean;
  /** The calls that were leased. The others are in the queue. */
  begin(begun: readonly BegunCall[]): void;
  /** No call was leased. `isUncertain`: the commit may have leased some. */
  cancel(isUncertain: boolean): void;
}

/** A call without a seat is enqueued. */
export interface SeatQuestion {
  projectId: string;
  providers: readonly string[];
}

/** Reserves a seat for each provider named. Undefined: the caller may not send them at once. */
export type ReserveSeats = (question: SeatQuestion) => Seats | undefined;

const reserver = perEngine((): { reserve?: ReserveSeats | undefined } => ({}));

/** Sets the function that reserves seats, until the returned function is called. */
export function offerSeats(ctx: EngineContext, reserve: ReserveSeats): () => void {
  reserver(ctx).reserve = reserve;
  return () => {
    if (reserver(ctx).reserve === reserve) reserver(ctx).reserve = undefined;
  };
}

/** Reserves seats in this process. Undefined: it calls no models, or may not send these at once. */
export const reserveSeats = (ctx: EngineContext, question: SeatQuestion): Seats | undefined =>
  question.providers.length === 0 ? undefined : reserver(ctx).reserve?.(question);

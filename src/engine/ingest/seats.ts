import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import type { NewRun } from './newRun.ts';

/**
 * A place at a runner of this process, kept for a run that is about to start: it is leased with the commit that records it,
 * and no claim has to come after. Each seat is taken or left, once.
 */
export interface Seat {
  /** Under which the run is to be leased. */
  readonly dispatcherId: string;
  /** The run was recorded and leased, at that instant. */
  take(run: NewRun, startedAt: Date): void;
  /** It was not. */
  leave(): void;
}

/** Undefined: no runner here is free, or others that wait in the lane come first. */
export type SeatGiver = (laneId: number) => Seat | undefined;

const offer = perEngine((): { give?: SeatGiver | undefined } => ({}));

/** Lets starts of this process ask for seats, until the returned function is called. */
export function offerSeats(ctx: EngineContext, give: SeatGiver): () => void {
  offer(ctx).give = give;
  return () => {
    if (offer(ctx).give === give) offer(ctx).give = undefined;
  };
}

/** Nothing limits how many runs without a slot execute at once, but for a ceiling: that is asked in the database. */
export const seatFor = (ctx: EngineContext, { slot, laneId }: NewRun): Seat | undefined =>
  slot === undefined ? offer(ctx).give?.(laneId) : undefined;

import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { held, suspectLeases } from '../work/index.ts';
import { announceRuns } from './announce.ts';
import type { IntakeOutcome, NewRun } from './newRun.ts';
import { ingestStarts, type PlainStart, type StartedRow } from './sql/ingestStarts.ts';

/**
 * A place at a runner of this process, kept for a run that is about to start: it is leased with the
 * commit that records it, and no claim has to come after. Each seat is taken or left, once.
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

/**
 * Nothing limits how many runs without a slot execute at once, but for a ceiling: that is asked in
 * the database.
 */
const seatFor = (ctx: EngineContext, { slot, laneId }: NewRun): Seat | undefined =>
  slot === undefined ? offer(ctx).give?.(laneId) : undefined;

/** A start with its seat, if there was one. */
interface Seated {
  start: PlainStart;
  seat: Seat | undefined;
}

/**
 * Records plain starts in one commit, and leases those for which a runner of this process is free.
 * A lease that may exist although nobody heard of it is handed back later (`releaseSuspects`).
 */
export async function startRuns(ctx: EngineContext, starts: readonly PlainStart[]): Promise<IntakeOutcome[]> {
  const seated = starts.map((start): Seated => ({ start, seat: seatFor(ctx, start.run) }));
  // Noted before they exist: what is not noted may be handed back.
  for (const { start, seat } of seated) if (seat) held(ctx).add(start.run.runId);
  let rows: Map<number, StartedRow>;
  try {
    rows = new Map((await write(ctx, seated)).map((row) => [row.ord, row]));
  } catch (error) {
    for (const each of seated) leave(ctx, each);
    if (seated.some(({ seat }) => seat)) suspectLeases(ctx);
    throw error;
  }
  seated.forEach((each, ord) => {
    settle(ctx, each, rows.get(ord));
  });
  ctx.db.afterCommit(() => announceStarts(ctx, starts, [...rows.values()]));
  return starts.map((_, ord) => ({ kind: rows.has(ord) ? 'created' : 'stale' }));
}

function write(ctx: EngineContext, seated: readonly Seated[]): Promise<StartedRow[]> {
  const dispatcherId = seated.find(({ seat }) => seat)?.seat?.dispatcherId;
  const starts = seated.map(({ start, seat }) => ({
    ...start,
    seated: seat !== undefined && seat.dispatcherId === dispatcherId,
  }));
  return ingestStarts(ctx.db, { starts, dispatcherId, now: ctx.clock.sql() });
}

function settle(ctx: EngineContext, each: Seated, row: StartedRow | undefined): void {
  const { start, seat } = each;
  if (row?.leased && seat) seat.take(start.run, row.createdAt);
  else leave(ctx, each);
}

function announceStarts(ctx: EngineContext, starts: readonly PlainStart[], rows: readonly StartedRow[]): void {
  const recorded = rows.flatMap(({ ord, createdAt, leased: isLeased }) => {
    const run = starts[ord]?.run;
    return run ? [{ run, createdAt, isLeased }] : [];
  });
  announceRuns(
    ctx,
    recorded,
    rows.flatMap((row) => row.gatedSlot ?? []),
  );
}

function leave(ctx: EngineContext, { start, seat }: Seated): void {
  if (!seat) return;
  held(ctx).delete(start.run.runId);
  seat.leave();
}

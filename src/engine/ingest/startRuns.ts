import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { held, suspectLeases } from '../work/index.ts';
import { announceRuns } from './announce.ts';
import type { IntakeOutcome, NewRun } from './newRun.ts';
import { ingestStarts, type PlainStart, type StartedRow } from './sql/ingestStarts.ts';

/**
 * A free slot of a runner of this process, reserved for one start. The commit that records the run
 * also leases it, so no claim follows. Each seat is taken or left, once.
 */
export interface Seat {
  /** The dispatcher that leases the run. */
  readonly dispatcherId: string;
  /** The run was recorded and leased at `startedAt`. */
  take(run: NewRun, startedAt: Date): void;
  /** The run was not leased. */
  leave(): void;
}

/** Undefined if no runner of this process is free, or other runs of the lane come first. */
export type SeatGiver = (laneId: number) => Seat | undefined;

const offer = perEngine((): { give?: SeatGiver | undefined } => ({}));

/** Lets starts of this process request seats, until the returned function is called. */
export function offerSeats(ctx: EngineContext, give: SeatGiver): () => void {
  offer(ctx).give = give;
  return () => {
    if (offer(ctx).give === give) offer(ctx).give = undefined;
  };
}

/** Runs without a slot have no limit but the project's ceiling, which the statement checks. */
const seatFor = (ctx: EngineContext, { slot, laneId }: NewRun): Seat | undefined =>
  slot === undefined ? offer(ctx).give?.(laneId) : undefined;

/** A start with its seat, if it got one. */
interface Seated {
  start: PlainStart;
  seat: Seat | undefined;
}

/**
 * Records plain starts in one commit, and leases those with a seat. If the answer is lost, such a
 * lease may exist unnoticed, and is released later (`releaseSuspects`).
 */
export async function startRuns(ctx: EngineContext, starts: readonly PlainStart[]): Promise<IntakeOutcome[]> {
  const seated = starts.map((start): Seated => ({ start, seat: seatFor(ctx, start.run) }));
  // Noted before the commit, because unknown leases may be released.
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

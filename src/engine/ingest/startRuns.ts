import type { EngineContext } from '../context.ts';
import { held, suspectLeases } from '../work/index.ts';
import type { IntakeOutcome } from './newRun.ts';
import { type Seat, seatFor } from './seats.ts';
import { ingestStarts, type PlainStart, type StartedRow } from './sql/ingestStarts.ts';

/** A start with its seat, if there was one. */
interface Seated {
  start: PlainStart;
  seat: Seat | undefined;
}

/**
 * Records plain starts in one commit, and leases those for which a runner of this process is free. A lease that may exist
 * although nobody heard of it is handed back later (`releaseSuspects`).
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
  return seated.map((each, ord) => outcomeOf(ctx, each, rows.get(ord)));
}

function write(ctx: EngineContext, seated: readonly Seated[]): Promise<StartedRow[]> {
  const dispatcherId = seated.find(({ seat }) => seat)?.seat?.dispatcherId;
  const starts = seated.map(({ start, seat }) => ({
    ...start,
    seated: seat !== undefined && seat.dispatcherId === dispatcherId,
  }));
  return ingestStarts(ctx.db, { starts, dispatcherId, now: ctx.clock.sql() });
}

function outcomeOf(ctx: EngineContext, each: Seated, row: StartedRow | undefined): IntakeOutcome {
  const { start, seat } = each;
  if (row?.leased && seat) seat.take(start.run, row.createdAt);
  else leave(ctx, each);
  if (!row) return { kind: 'stale' };
  const gatedSlots = row.gatedSlot === null ? [] : [row.gatedSlot];
  return { kind: 'created', createdAt: row.createdAt, gatedSlots, isLeased: row.leased };
}

function leave(ctx: EngineContext, { start, seat }: Seated): void {
  if (!seat) return;
  held(ctx).delete(start.run.runId);
  seat.leave();
}

import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { held, suspectLeases } from '../work/index.ts';
import { announceRuns } from './announce.ts';
import type { IntakeOutcome, NewRun } from './newRun.ts';
import { ingestStarts, type PlainStart, type StartedRow } from './sql/ingestStarts.ts';

/**
 * A runner slot of this process, reserved for a run that is about to start. The run is leased in
 * the commit that records it, so no claim follows. Exactly one of the two methods is called, once.
 */
export interface EagerStart {
  /** The dispatcher that leases the run. */
  readonly dispatcherId: string;
  /** The run was recorded and leased at that instant. */
  begin(run: NewRun, startedAt: Date): void;
  /** The run was not leased. Frees the slot. */
  cancel(): void;
}

/** Reserves a slot. Undefined if no runner here has one, or if runs of the lane already wait. */
export type ReserveEagerStart = (laneId: number) => EagerStart | undefined;

const reserver = perEngine((): { reserve?: ReserveEagerStart | undefined } => ({}));

/** Sets the function that reserves runner slots, until the returned function is called. */
export function offerEagerStarts(ctx: EngineContext, reserve: ReserveEagerStart): () => void {
  reserver(ctx).reserve = reserve;
  return () => {
    if (reserver(ctx).reserve === reserve) reserver(ctx).reserve = undefined;
  };
}

/**
 * Runs without a `concurrency` slot are limited only by a ceiling. `ingestStarts` checks the
 * ceiling.
 */
const reserveFor = (ctx: EngineContext, { slot, laneId }: NewRun): EagerStart | undefined =>
  slot === undefined ? reserver(ctx).reserve?.(laneId) : undefined;

interface Planned {
  start: PlainStart;
  eager: EagerStart | undefined;
}

/**
 * Records plain starts in one commit, and leases the eager ones. If the answer of that commit is
 * lost, `releaseSuspects` later releases the leases.
 */
export async function startRuns(ctx: EngineContext, starts: readonly PlainStart[]): Promise<IntakeOutcome[]> {
  const planned = starts.map((start): Planned => ({ start, eager: reserveFor(ctx, start.run) }));
  // Noted before the leases exist, because a sweep may release a lease that is not noted.
  for (const { start, eager } of planned) if (eager) held(ctx).add(start.run.runId);
  let rows: Map<number, StartedRow>;
  try {
    rows = new Map((await write(ctx, planned)).map((row) => [row.ord, row]));
  } catch (error) {
    for (const each of planned) cancel(ctx, each);
    if (planned.some(({ eager }) => eager)) suspectLeases(ctx);
    throw error;
  }
  planned.forEach((each, ord) => {
    settle(ctx, each, rows.get(ord));
  });
  ctx.db.afterCommit(() => announceStarts(ctx, starts, [...rows.values()]));
  return starts.map((_, ord) => ({ kind: rows.has(ord) ? 'created' : 'stale' }));
}

function write(ctx: EngineContext, planned: readonly Planned[]): Promise<StartedRow[]> {
  const dispatcherId = planned.find(({ eager }) => eager)?.eager?.dispatcherId;
  const starts = planned.map(({ start, eager }) => ({
    ...start,
    eager: eager !== undefined && eager.dispatcherId === dispatcherId,
  }));
  return ingestStarts(ctx.db, { starts, dispatcherId, now: ctx.clock.sql() });
}

function settle(ctx: EngineContext, each: Planned, row: StartedRow | undefined): void {
  const { start, eager } = each;
  if (row?.leased && eager) eager.begin(start.run, row.createdAt);
  else cancel(ctx, each);
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

function cancel(ctx: EngineContext, { start, eager }: Planned): void {
  if (!eager) return;
  held(ctx).delete(start.run.runId);
  eager.cancel();
}

import type { EngineContext } from '../context.ts';
import type { TripPart } from '../db/index.ts';
import { perEngine } from '../perEngine.ts';
import { statusPayload } from '../timeline/index.ts';
import { expectLease, leaseAnswered, suspectLeases } from './held.ts';
import { leaseWoken } from './sql/leaseWoken.ts';
import type { ClaimedRow } from './sql/leasing.ts';
import { loadMemos, type SavedStep } from './sql/loadMemos.ts';

/**
 * A runner slot of this process, reserved for a run that is about to wake. The run is leased in the
 * commit that wakes it, so no claim follows. Exactly one of the two methods is called, once.
 */
export interface EagerWake {
  /** The dispatcher that leases the run. */
  readonly dispatcherId: string;
  /** The run was woken and leased, and has these steps. */
  begin(run: ClaimedRow, steps: readonly SavedStep[]): void;
  /** The run was not leased. Frees the slot. */
  cancel(): void;
}

/** Reserves a slot. Undefined if no runner here has one, or if runs of the lane already wait. */
export type ReserveEagerWake = (laneId: number) => EagerWake | undefined;

const reserver = perEngine((): { reserve?: ReserveEagerWake | undefined } => ({}));

/** Sets the function that reserves runner slots, until the returned function is called. */
export function offerEagerWakes(ctx: EngineContext, reserve: ReserveEagerWake): () => void {
  reserver(ctx).reserve = reserve;
  return () => {
    if (reserver(ctx).reserve === reserve) reserver(ctx).reserve = undefined;
  };
}

/** The statements that lease a run, and what follows in this process. */
export interface WakePlan {
  /** Both follow the statement that wakes the run, in its transaction. */
  lease: TripPart<ClaimedRow>;
  memo: TripPart<SavedStep>;
  /** They were committed. Answers whether the run was leased. */
  committed(leased: readonly ClaimedRow[], steps: readonly SavedStep[]): boolean;
  /** Nobody knows whether they were. `releaseSuspects` later releases the lease. */
  failed(): void;
}

/** Plans to lease a run that a transaction wakes. Undefined: it is claimed as any other. */
export function planWake(ctx: EngineContext, { runId, laneId }: { runId: string; laneId: number }): WakePlan | undefined {
  const slot = reserver(ctx).reserve?.(laneId);
  if (!slot) return undefined;
  if (!expectLease(ctx, runId)) {
    slot.cancel();
    return undefined;
  }
  return {
    lease: leaseWoken.part({ dispatcherId: slot.dispatcherId, runId, now: ctx.clock.sql() }),
    memo: loadMemos.part({ runIds: [runId] }),
    committed: ([run], steps) => {
      leaseAnswered(ctx, runId, run !== undefined);
      if (!run) slot.cancel();
      else {
        if (run.turnedRunning) announceRunning(ctx, run);
        slot.begin(run, steps);
      }
      return run !== undefined;
    },
    failed: () => {
      leaseAnswered(ctx, runId, false);
      suspectLeases(ctx);
      slot.cancel();
    },
  };
}

/** Announces a run whose claim moved it to `running`. */
export function announceRunning(ctx: EngineContext, row: ClaimedRow): void {
  const { projectId, id: runId, app, workflow, seq, dated: ts } = row;
  const frames = [{ seq, kind: 'run_status', ts, payload: statusPayload('running') }] as const;
  ctx.bus.emit('run.frames', { projectId, runId, app, workflow, frames });
}

import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { statusPayload } from '../timeline/index.ts';
import { expectLease, leaseAnswered, suspectLeases } from './held.ts';
import type { ClaimedRow } from './sql/leasing.ts';
import type { SavedStep } from './sql/loadMemos.ts';

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

/**
 * Reserves a slot. Undefined if no runner here has one, or if runs of the lane already wait. A slot
 * for a run that is not due yet is reserved only while half of the slots stay free.
 */
export type ReserveEagerWake = (laneId: number, isEarly: boolean) => EagerWake | undefined;

const reserver = perEngine((): { reserve?: ReserveEagerWake | undefined } => ({}));

/** Sets the function that reserves runner slots, until the returned function is called. */
export function offerEagerWakes(ctx: EngineContext, reserve: ReserveEagerWake): () => void {
  reserver(ctx).reserve = reserve;
  return () => {
    if (reserver(ctx).reserve === reserve) reserver(ctx).reserve = undefined;
  };
}

/** A run that a commit is about to wake and lease. */
export interface ExpectedWake {
  /** The dispatcher that is to lease the run. */
  readonly dispatcherId: string;
  /** The commit was answered. Undefined: it has not leased the run. */
  committed(run: ClaimedRow | undefined, steps: readonly SavedStep[]): void;
  /** Nobody knows whether it has. `releaseSuspects` later releases the lease. */
  failed(): void;
}

/** Expects to lease a run that a transaction wakes. Undefined: it is claimed as any other. */
export function expectWake(
  ctx: EngineContext,
  { runId, laneId }: { runId: string; laneId: number },
  { isEarly = false }: { isEarly?: boolean } = {},
): ExpectedWake | undefined {
  const slot = reserver(ctx).reserve?.(laneId, isEarly);
  if (!slot) return undefined;
  if (!expectLease(ctx, runId)) {
    slot.cancel();
    return undefined;
  }
  return {
    dispatcherId: slot.dispatcherId,
    committed: (run, steps) => {
      leaseAnswered(ctx, runId, run !== undefined);
      if (run) slot.begin(run, steps);
      else slot.cancel();
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

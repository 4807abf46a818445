import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';

/** What a process knows of its own leases. */
interface Held {
  runIds: Set<string>;
  /** Runs that are being handed back: a sweep leaves them alone. */
  leaving: Set<string>;
  /**
   * Whether something may be leased to us that is not among `runIds`: an answer of the database was
   * lost.
   */
  isSuspect: boolean;
  /** The claim or sweep under way. */
  turn: Promise<unknown>;
}

const of = perEngine(
  (): Held => ({ runIds: new Set(), leaving: new Set(), isSuspect: false, turn: Promise.resolve() }),
);

/** Runs that this process knows it has leased. */
export const held = (ctx: EngineContext): Set<string> => of(ctx).runIds;

/**
 * Hands runs back: held no more, but no stranger's either until that is done. Else what is claimed
 * anew meanwhile could go too.
 */
export async function letGo<T>(ctx: EngineContext, runIds: readonly string[], handBack: () => Promise<T>): Promise<T> {
  const { runIds: known, leaving } = of(ctx);
  for (const runId of runIds) {
    known.delete(runId);
    leaving.add(runId);
  }
  try {
    return await handBack();
  } finally {
    for (const runId of runIds) leaving.delete(runId);
  }
}

/** Whether this process knows of a lease of that run. */
export const knowsOf = (ctx: EngineContext, runId: string): boolean => {
  const { runIds, leaving } = of(ctx);
  return runIds.has(runId) || leaving.has(runId);
};

/**
 * Notes that leases may exist of which this process knows nothing; the next sweep
 * (`releaseSuspects`) hands them back.
 */
export function suspectLeases(ctx: EngineContext): void {
  of(ctx).isSuspect = true;
}

/** Whether leases are suspect, and no more after this. */
export function takeSuspicion(ctx: EngineContext): boolean {
  const held = of(ctx);
  const { isSuspect } = held;
  held.isSuspect = false;
  return isSuspect;
}

/**
 * Claims and sweeps take turns: a sweep must not hand back what a claim has just leased and not yet
 * noted.
 */
export function inTurn<T>(ctx: EngineContext, work: () => Promise<T>): Promise<T> {
  const held = of(ctx);
  const turn = held.turn.then(work, work);
  held.turn = turn.catch(() => undefined);
  return turn;
}

import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';

/** The leases that this process knows. */
interface Held {
  runIds: Set<string>;
  /** Runs that are being released. A sweep skips them. */
  leaving: Set<string>;
  /** Runs that a commit under way may lease. A sweep skips them. */
  expected: Set<string>;
  /**
   * Whether leases may exist that are not among `runIds`, because an answer of the database was
   * lost.
   */
  isSuspect: boolean;
  /** The claim or sweep in progress. */
  turn: Promise<unknown>;
}

const of = perEngine(
  (): Held => ({
    runIds: new Set(),
    leaving: new Set(),
    expected: new Set(),
    isSuspect: false,
    turn: Promise.resolve(),
  }),
);

/** Runs that this process knows to be leased to it. */
export const held = (ctx: EngineContext): Set<string> => of(ctx).runIds;

/**
 * Releases runs. Until that is done, a sweep skips them. Otherwise it could release a run that has
 * been claimed again meanwhile.
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
  const { runIds, leaving, expected } = of(ctx);
  return runIds.has(runId) || leaving.has(runId) || expected.has(runId);
};

/**
 * Expects that a commit leases a run, from before it is sent until it is answered. False: this
 * process has the run already, or expects it.
 */
export function expectLease(ctx: EngineContext, runId: string): boolean {
  if (knowsOf(ctx, runId)) return false;
  of(ctx).expected.add(runId);
  return true;
}

/** The commit was answered. `isLeased`: it has leased the run. */
export function leaseAnswered(ctx: EngineContext, runId: string, isLeased: boolean): void {
  const { runIds, expected } = of(ctx);
  if (isLeased) runIds.add(runId);
  expected.delete(runId);
}

/**
 * Notes that this process may have leases that it does not know of. `releaseSuspects` releases
 * them.
 */
export function suspectLeases(ctx: EngineContext): void {
  of(ctx).isSuspect = true;
}

/** Answers whether leases are suspect, and clears that note. */
export function takeSuspicion(ctx: EngineContext): boolean {
  const held = of(ctx);
  const { isSuspect } = held;
  held.isSuspect = false;
  return isSuspect;
}

/**
 * Claims and sweeps exclude each other: a sweep must not release a lease that a claim has not
 * noted.
 */
export function inTurn<T>(ctx: EngineContext, work: () => Promise<T>): Promise<T> {
  const held = of(ctx);
  const turn = held.turn.then(work, work);
  held.turn = turn.catch(() => undefined);
  return turn;
}

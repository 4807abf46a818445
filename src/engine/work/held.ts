import type { EngineContext } from '../context.ts';

/** What a process knows of its own leases. */
interface Held {
  runIds: Set<string>;
  /** Whether something may be leased to us that is not among `runIds`: an answer of the database was lost. */
  isSuspect: boolean;
  /** The claim or sweep under way. */
  turn: Promise<unknown>;
}

const known = new WeakMap<EngineContext, Held>();

function of(ctx: EngineContext): Held {
  let held = known.get(ctx);
  if (!held) {
    held = { runIds: new Set(), isSuspect: false, turn: Promise.resolve() };
    known.set(ctx, held);
  }
  return held;
}

/** Runs that this process knows it has leased. */
export const held = (ctx: EngineContext): Set<string> => of(ctx).runIds;

/** Notes that leases may exist of which this process knows nothing; the next heartbeat hands them back. */
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

/** Claims and sweeps take turns: a sweep must not hand back what a claim has just leased and not yet noted. */
export function inTurn<T>(ctx: EngineContext, work: () => Promise<T>): Promise<T> {
  const held = of(ctx);
  const turn = held.turn.then(work, work);
  held.turn = turn.catch(() => undefined);
  return turn;
}

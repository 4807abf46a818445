import { BoundedCache } from '../boundedCache.ts';
import { type EventGuards, StoredGuard } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import type { Steps } from '../slices.ts';
import type { WaitFault } from './guardFaults.ts';

/** Compiled guards, while they are in use. The limit is of characters: 200 MB at worst. */
const guardsOf = perEngine(() => new BoundedCache<string, StoredGuard>(2_000_000, (source) => source.length + 64));

export function guardOf(ctx: EngineContext, source: string): StoredGuard {
  const known = guardsOf(ctx).get(source);
  if (known) return known;
  const guard = new StoredGuard(source, ctx.settings.limits);
  guardsOf(ctx).set(source, guard);
  return guard;
}

export interface Wait {
  runId: string;
  stepIndex: number;
}

/** A wait that an event has found. */
interface FoundWait extends Wait {
  /** Whether the log is still to be searched for an earlier event. */
  looksBack: boolean;
}

/** A wait with its guard; undefined if it has none. */
export interface GuardedWait extends FoundWait {
  guard: StoredGuard | undefined;
}

/**
 * Waits share equal guards, so that a page that waits for its turn holds no copies of their text.
 */
export const withGuards = (
  ctx: EngineContext,
  waits: readonly (FoundWait & { eventIf: string | null })[],
): readonly GuardedWait[] =>
  waits.map(({ runId, stepIndex, looksBack, eventIf }) => ({
    runId,
    stepIndex,
    looksBack,
    guard: eventIf === null ? undefined : guardOf(ctx, eventIf),
  }));

export interface Satisfied {
  satisfied: FoundWait[];
  faults: WaitFault[];
}

/** The waits that an event satisfies, one guard at a time. */
export function* satisfiedBy(guards: EventGuards, waits: readonly GuardedWait[]): Steps<Satisfied> {
  const found: Satisfied = { satisfied: [], faults: [] };
  for (const wait of waits) {
    const { runId, stepIndex, looksBack, guard } = wait;
    if (!guard) {
      found.satisfied.push({ runId, stepIndex, looksBack });
      continue;
    }
    yield;
    const onFault = (reason: string): unknown => found.faults.push({ runId, guard: guard.source, reason });
    if (guards.holds(guard, onFault)) found.satisfied.push({ runId, stepIndex, looksBack });
  }
  return found;
}

import { BoundedCache } from '../boundedCache.ts';
import { compileGuard, type Guard } from '../cel/index.ts';
import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';

type Condition = Pick<Guard, 'evaluate'>;

const maxGuards = 10_000;
const guardsOf = perEngine(() => new BoundedCache<string, Condition>(maxGuards));

const never: Condition = { evaluate: () => false };

/**
 * The guard of a wait, which was valid when the wait began. If a lowered limit makes it invalid, it
 * evaluates to false, and the log reports it once. Compiled guards are cached while they are in
 * use.
 */
export function storedGuard(ctx: EngineContext, { runId, eventIf: source }: StoredWait): Condition {
  const known = guardsOf(ctx);
  let guard = known.get(source);
  if (!guard) {
    guard = compile(ctx, source, runId);
    known.set(source, guard);
  }
  return guard;
}

interface StoredWait {
  runId: string;
  eventIf: string;
}

function compile({ log, settings }: EngineContext, source: string, runId: string): Condition {
  try {
    return compileGuard(source, settings.limits);
  } catch (error) {
    log.warn({ err: error, runId, guard: source }, 'guard of a wait does not compile: the wait never matches');
    return never;
  }
}

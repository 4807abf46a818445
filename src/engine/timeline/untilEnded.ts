import type { EngineContext } from '../context.ts';
import { isTransient } from '../db/index.ts';
import { unauthenticated } from '../errors.ts';
import { type Principal, watchKey } from '../keys/index.ts';
import { isTerminal, type RunStatus } from '../runs/index.ts';
import { frameHub } from './frameHub.ts';
import { runStatusOf } from './framePayload.ts';
import { findRunStatus } from './sql/findRunStatus.ts';

/** The longest wait for the end of a run, in ms. */
export const longestWaitMs = 30_000;
/** The longest wait for the end of a run, or for a decision that it needs, in ms. */
export const longestPatienceMs = 55_000;

const needsDecision: RunStatus = 'needs_attention';

interface Awaited {
  projectId: string;
  runId: string;
  /** The caller. The wait ends with the key. */
  principal: Principal;
  /** The time, at most `longestWaitMs`; with `orDecision`, `longestPatienceMs`. */
  waitMs: number;
  /** Whether the wait also ends when the run needs a decision. */
  orDecision?: true;
  /** Calls the function when the caller has gone. Returns a function that cancels the call. */
  whenGone?: (then: () => void) => () => void;
}

/**
 * Resolves when the run has ended or needs a decision, the time has passed, the caller has gone, or
 * the service stops. Resolves at once if the run does not exist, or the service is stopping. An end
 * in another process is seen within a second. Throws `unauthenticated` within five seconds after
 * the key was revoked or expired.
 */
export async function untilEnded(ctx: EngineContext, awaited: Awaited): Promise<void> {
  const { projectId, runId, principal, waitMs, orDecision = false, whenGone = () => () => undefined } = awaited;
  if (ctx.bus.isStopping) return;
  const ends = (status: RunStatus): boolean => isTerminal(status) || (orDecision && status === needsDecision);
  const isOver = async (): Promise<boolean> => {
    const [run] = await findRunStatus(ctx.db, { projectId, runId });
    return run === undefined || ends(run.status);
  };
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const unfollow = frameHub(ctx).follow(runId, {
    // Beyond every frame, so the hub reports only the end of the run.
    tip: Number.MAX_SAFE_INTEGER,
    awaitsEnd: true,
    awaitsDecision: orDecision,
    offer: (frames) => {
      const statuses = frames.map(runStatusOf).filter((status) => status !== undefined);
      if (statuses.some(ends)) finish();
    },
    // While the database is away the wait goes on: the hub asks for another look within a second.
    look: () =>
      void isOver().then(
        (over) => over && finish(),
        (error) => isTransient(error) || finish(),
      ),
  });
  const unlisten = ctx.bus.on('service.stopping', finish);
  let hasKey = true;
  const unwatch = watchKey(ctx, principal, () => {
    hasKey = false;
    finish();
  });
  const stay = whenGone(finish);
  const timer = setTimeout(finish, Math.min(waitMs, orDecision ? longestPatienceMs : longestWaitMs));
  try {
    if (!(await isOver())) await finished;
  } finally {
    clearTimeout(timer);
    stay();
    unlisten();
    unwatch();
    unfollow();
  }
  if (!hasKey) throw unauthenticated('the API key has ended');
}

import type { EngineContext } from '../context.ts';
import { isTerminal } from '../runs/index.ts';
import { frameHub } from './frameHub.ts';
import { endsRun } from './runStatusOf.ts';
import { findRunStatus } from './sql/findRunStatus.ts';

/** The longest that somebody may wait for the end of a run in one go, in ms. */
export const longestWaitMs = 30_000;

interface Awaited {
  projectId: string;
  runId: string;
  /** Longer is cut to `longestWaitMs`. */
  waitMs: number;
}

/**
 * Resolves once a run has ended, the wait is over, or the service stops, whichever comes first; at
 * once for a run that does not exist, and where the service stops already. It hears of the end from
 * this process, and looks for that of others once a second.
 */
export async function untilEnded(ctx: EngineContext, { projectId, runId, waitMs }: Awaited): Promise<void> {
  if (ctx.bus.isStopping) return;
  const isOver = async (): Promise<boolean> => {
    const [run] = await findRunStatus(ctx.db, { projectId, runId });
    return run === undefined || isTerminal(run.status);
  };
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const unfollow = frameHub(ctx).follow(runId, {
    // Beyond every frame: what the hub finds in the database is then only that the run is over.
    tip: Number.MAX_SAFE_INTEGER,
    offer: (frames) => frames.some(endsRun) && finish(),
    look: () => void isOver().then((over) => over && finish(), finish),
  });
  const unlisten = ctx.bus.on('service.stopping', finish);
  const timer = setTimeout(finish, Math.min(waitMs, longestWaitMs));
  try {
    if (!(await isOver())) await finished;
  } finally {
    clearTimeout(timer);
    unlisten();
    unfollow();
  }
}

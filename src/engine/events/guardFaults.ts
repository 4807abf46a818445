import { BoundedCache } from '../boundedCache.ts';
import type { EngineContext } from '../context.ts';
import { perEngine } from '../perEngine.ts';
import { selectWorkflows } from './sql/selectWorkflows.ts';

/** A guard that is false for another reason than the event: it costs too much, for example. */
export interface GuardFault {
  projectId: string;
  app: string;
  workflow: string;
  guard: string;
  reason: string;
}

interface Logged {
  atMs: number;
  /** Faults since then. */
  withheld: number;
}

const quietMs = 60_000;
const loggedOf = perEngine(() => new BoundedCache<string, Logged>(10_000));

/** Logs faults of guards: one line per workflow and minute, which counts those before it. */
export function logFault(ctx: EngineContext, { projectId, app, workflow, ...fault }: GuardFault): void {
  const logged = loggedOf(ctx);
  const key = [projectId, app, workflow].join('\n');
  const last = logged.get(key);
  const atMs = ctx.clock.now().getTime();
  if (last && Math.abs(atMs - last.atMs) < quietMs) {
    last.withheld += 1;
    return;
  }
  logged.set(key, { atMs, withheld: 0 });
  ctx.log.warn({ projectId, app, workflow, ...fault, withheld: last?.withheld }, 'guard evaluated to false');
}

/** The faults of an event's waits that are looked up. */
const maxLookedUp = 100;

export type WaitFault = Pick<GuardFault, 'guard' | 'reason'> & { runId: string };

/** Logs faults of waits under the workflows of their runs. */
export async function logWaitFaults(
  ctx: EngineContext,
  { projectId }: { projectId: string },
  faults: readonly WaitFault[],
): Promise<void> {
  if (faults.length === 0) return;
  const some = faults.slice(0, maxLookedUp);
  try {
    const rows = await selectWorkflows(ctx.db, { runIds: some.map((each) => each.runId) });
    const byRun = new Map(rows.map((row) => [row.runId, row]));
    for (const { runId, ...fault } of some) {
      const row = byRun.get(runId);
      if (row) logFault(ctx, { projectId, app: row.app, workflow: row.workflow, ...fault });
    }
  } catch (error) {
    ctx.log.warn({ error, projectId, ...some[0] }, 'guard of a wait evaluated to false');
  }
}

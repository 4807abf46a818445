import type { EngineContext } from '../context.ts';
import { readWaits } from '../runs/index.ts';
import type { RunWait } from './runWait.ts';

/** All causes for which unfinished runs of a project do not move, by run. */
export async function readWaiting(
  ctx: EngineContext,
  { runIds }: { projectId: string; runIds: readonly string[] },
): Promise<Map<string, RunWait[]>> {
  const waits = await readWaits(ctx.db, runIds);
  return new Map([...waits.keys()].map((runId) => [runId, []]));
}

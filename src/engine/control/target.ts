import type { EngineContext } from '../context.ts';
import type { Queryable, Transaction } from '../db/index.ts';
import { notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { getProject, suspensionOf } from '../projects/index.ts';
import { type RunRow, selectRunRows } from '../runs/index.ts';
import { lockRuns } from '../work/index.ts';

/** A control call on one run (4.6). */
export interface ControlCall {
  projectId: string;
  runId: string;
  /** The name of the caller's key. */
  actor: string | undefined;
}

/** A run of a project. Throws `notFound`, also for a text that is no id. */
export async function findTarget(db: Queryable, { projectId, runId }: Omit<ControlCall, 'actor'>): Promise<RunRow> {
  const [run] = isId(runId) ? await selectRunRows(db, { projectId, ids: [runId] }) : [];
  if (!run) throw notFound('run not found');
  return run;
}

/**
 * Changes a run under its lock, so `work` sees the last commit. Answers the result of `work`, and
 * the changed run.
 */
export async function changeTarget<T>(
  ctx: EngineContext,
  call: ControlCall,
  work: (tx: Transaction) => Promise<T>,
): Promise<{ run: RunRow; changed: T }> {
  if (!isId(call.runId)) throw notFound('run not found');
  return ctx.db.transaction(async (tx) => {
    await lockRuns(tx, { runIds: [call.runId] });
    const changed = await work(tx);
    return { changed, run: await findTarget(tx, call) };
  });
}

/**
 * 4.6: a suspended project refuses replays and bulk calls before anything else. Throws `suspended`.
 */
export async function requireActive(ctx: EngineContext, projectId: string): Promise<void> {
  const suspension = suspensionOf(await getProject(ctx, projectId));
  if (suspension) throw suspension;
}

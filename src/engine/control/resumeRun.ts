import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict } from '../errors.ts';
import { isTerminal, type RunRow } from '../runs/index.ts';
import { resumeWithin } from '../work/index.ts';
import { type ControlCall, changeTarget } from './target.ts';

/**
 * Resumes a paused run (4.6). The run becomes `queued` if it can continue, even by a timer that
 * came due meanwhile. Otherwise it waits on, as `waiting` or `needs_attention`. A pause that has
 * not taken effect is withdrawn: the run stays `running`. Answers the run as the call left it.
 * Throws `notFound`, and `conflict` if the run has ended or is not paused.
 */
export async function resumeRun(ctx: EngineContext, call: ControlCall): Promise<RunRow> {
  const { projectId, runId, actor } = call;
  const { run, changed } = await changeTarget(ctx, call, (tx) => resumeWithin(ctx, tx, { projectId, runIds: [runId] }));
  if (changed.length === 0) throw conflict(isTerminal(run.status) ? 'runTerminal' : 'runNotPaused');
  await recordControl(ctx, { projectId, action: 'resume', runId, actor });
  return run;
}

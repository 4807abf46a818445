import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { hasUnsupportedCharacter, type RawJson } from '../json/index.ts';
import { isTerminal, type RunRow } from '../runs/index.ts';
import { fork } from './fork.ts';
import type { ForkChange } from './planForks.ts';
import { findStepIndex } from './sql/findStepIndex.ts';
import { type ControlCall, findTarget, requireActive } from './target.ts';

/**
 * Replays an ended run (4.6): a fork with the same input, unless another is given. Answers the new
 * run. Throws `suspended` first, then `notFound`, also if the workflow is not registered any more.
 * Throws `conflict` if the run has not ended, or its `singleton` is taken.
 */
export async function replayRun(ctx: EngineContext, call: ControlCall & { input?: RawJson }): Promise<RunRow> {
  const { projectId, runId, actor, input } = call;
  await requireActive(ctx, projectId);
  const source = await finishedTarget(ctx, call);
  const run = await forkOne(ctx, projectId, source, { input });
  await recordControl(ctx, { projectId, action: 'replay', runId, newRunId: run.id, actor });
  return run;
}

/**
 * Retries an ended run from a step (4.6): a fork that has the results of the steps before `step`.
 * Answers the new run. Throws as `replayRun` does, `invalid` without a step, and `notFound` if the
 * run has no step of that name.
 */
export async function retryRunFromStep(ctx: EngineContext, call: ControlCall & { step: string }): Promise<RunRow> {
  const { projectId, runId, actor, step } = call;
  await requireActive(ctx, projectId);
  await findTarget(ctx.db, call);
  if (step.trim() === '') throw invalid('step is required');
  const source = await finishedTarget(ctx, call);
  const [found] = hasUnsupportedCharacter(step) ? [] : await findStepIndex(ctx.db, { runId, name: step });
  if (typeof found?.index !== 'number') throw notFound('step not found');
  const run = await forkOne(ctx, projectId, source, { boundary: found.index });
  await recordControl(ctx, { projectId, action: 'retry_from_step', runId, newRunId: run.id, actor, detail: { step } });
  return run;
}

async function finishedTarget(ctx: EngineContext, call: ControlCall): Promise<RunRow> {
  const run = await findTarget(ctx.db, call);
  if (!isTerminal(run.status)) throw conflict('runNotTerminal');
  return run;
}

async function forkOne(ctx: EngineContext, projectId: string, source: RunRow, change: ForkChange): Promise<RunRow> {
  const { runs } = await fork(ctx, projectId, [source], { ...change, isAlone: true });
  const [run] = runs;
  if (!run) throw notFound(`workflow ${source.workflow} is not registered in app ${source.app}`);
  return run;
}

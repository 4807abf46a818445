import { recordControl } from '../audit/index.ts';
import type { EngineContext } from '../context.ts';
import { type HandCall, restoreByHand, retireByHand } from '../runners/index.ts';

/**
 * Retires a workflow by hand (R3): its triggers and schedules fall asleep, its runs stay. It wakes
 * by `restoreWorkflow`; or, if no live runner served it, once a runner serves it again. Throws
 * `notFound`.
 */
export async function retireWorkflow(ctx: EngineContext, call: HandCall): Promise<void> {
  if (await retireByHand(ctx, call)) await record(ctx, 'retire_workflow', call);
}

/**
 * Restores a retired workflow by hand. If no live runner serves it, it stays awake until a runner
 * has served it. Throws `notFound`.
 */
export async function restoreWorkflow(ctx: EngineContext, call: HandCall): Promise<void> {
  if (await restoreByHand(ctx, call)) await record(ctx, 'restore_workflow', call);
}

const record = (
  ctx: EngineContext,
  action: 'retire_workflow' | 'restore_workflow',
  { projectId, app, name, actor }: HandCall,
): Promise<unknown> => recordControl(ctx, { projectId, action, actor, detail: { app, workflow: name } });

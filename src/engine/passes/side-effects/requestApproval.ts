import { newId } from '../../ids.ts';
import type { StepRow } from '../commit.ts';
import { insertApproval } from '../sql/insertApproval.ts';
import type { SideEffect, SideEffectScene } from './sideEffect.ts';

/** Requests a decision (2.7), which the step awaits. */
export async function requestApproval(
  { ctx, tx, pass }: SideEffectScene,
  step: StepRow,
  { args, ...sideEffect }: Extract<SideEffect, { kind: 'approval' }>,
): Promise<StepRow> {
  const { kind: _, ...fields } = sideEffect;
  const id = newId();
  await insertApproval(tx, {
    ...fields,
    id,
    args: args?.text ?? 'null',
    projectId: pass.projectId,
    runId: pass.runId,
    stepIndex: step.index,
    step: step.name,
    now: ctx.clock.sql(),
  });
  tx.afterCommit(() => {
    ctx.bus.emit('approval.changed', { projectId: pass.projectId, approvalId: id });
    if (sideEffect.timeoutMs !== undefined) ctx.bus.emit('work.due', { inMs: sideEffect.timeoutMs });
  });
  return step;
}

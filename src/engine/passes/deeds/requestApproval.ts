import { newId } from '../../ids.ts';
import type { StepRow } from '../commit.ts';
import { insertApproval } from '../sql/insertApproval.ts';
import type { Deed, DeedScene } from './deed.ts';

/** Asks for a decision (2.7), on which the step waits. */
export async function requestApproval(
  { ctx, tx, pass }: DeedScene,
  step: StepRow,
  { args, ...deed }: Extract<Deed, { kind: 'approval' }>,
): Promise<StepRow> {
  const { kind: _, ...fields } = deed;
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
    if (deed.timeoutMs !== undefined) ctx.bus.emit('work.due', { inMs: deed.timeoutMs });
  });
  return step;
}

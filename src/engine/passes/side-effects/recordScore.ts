import { newId } from '../../ids.ts';
import type { StepRow } from '../commit.ts';
import { insertScore } from '../sql/insertScore.ts';
import type { SideEffect, SideEffectScene } from './sideEffect.ts';

/** Records a score; the memo names it (4.10 opcode rule 2). */
export async function recordScore(
  { ctx, tx, pass }: SideEffectScene,
  step: StepRow,
  { name, value, data }: Extract<SideEffect, { kind: 'score' }>,
): Promise<StepRow> {
  const id = newId();
  await insertScore(tx, {
    id,
    projectId: pass.projectId,
    runId: pass.runId,
    stepIndex: step.index,
    name,
    value: value.text,
    data: data.text,
    now: ctx.clock.sql(),
  });
  return { ...step, output: JSON.stringify({ scoreId: id }) };
}

import { enqueueCalls, type NewCalls } from '../../inference/index.ts';
import type { StepRow } from '../commit.ts';
import type { Pass } from '../pass.ts';
import type { SideEffect, SideEffectScene, StepSideEffect } from './sideEffect.ts';

type ModelCall = StepSideEffect & { sideEffect: Extract<SideEffect, { kind: 'infer' }> };

/** Enqueues the model calls of an answer, which their steps await. */
export async function requestInference(
  { ctx, tx, pass }: SideEffectScene,
  sideEffects: readonly StepSideEffect[],
): Promise<Map<StepSideEffect, StepRow>> {
  const made = sideEffects.filter(isModelCall);
  await enqueueCalls(ctx, tx, newCalls(pass, made));
  return new Map(made.map((each) => [each, each.step]));
}

/** The model calls of an answer, under the lease of its pass. */
export const newCalls = (
  { projectId, app, workflow, runId, dispatcherId, claimNo, laneId }: Pass,
  made: readonly ModelCall[],
): NewCalls => ({
  ...{ projectId, app, workflow, runId, dispatcherId, claimNo, laneId },
  calls: made.map(({ step: { index, attempt }, sideEffect: { request, text } }) => ({
    stepIndex: index,
    attempt,
    request,
    text,
  })),
});

export const isModelCall = (each: StepSideEffect): each is ModelCall => each.sideEffect.kind === 'infer';

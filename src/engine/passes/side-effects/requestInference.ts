import { enqueueCalls } from '../../inference/index.ts';
import type { StepRow } from '../commit.ts';
import type { SideEffect, SideEffectScene, StepSideEffect } from './sideEffect.ts';

type ModelCall = Extract<SideEffect, { kind: 'infer' }>;

/** Enqueues the model calls of an answer, which their steps await. */
export async function requestInference(
  { ctx, tx, pass: { projectId, runId } }: SideEffectScene,
  sideEffects: readonly StepSideEffect[],
): Promise<Map<StepSideEffect, StepRow>> {
  const made = sideEffects.filter(isCall);
  const calls = made.map(({ step: { index, attempt }, sideEffect: { request, text } }) => ({
    stepIndex: index,
    attempt,
    request,
    text,
  }));
  await enqueueCalls(ctx, tx, { projectId, runId, calls });
  return new Map(made.map((each) => [each, each.step]));
}

const isCall = (each: StepSideEffect): each is StepSideEffect & { sideEffect: ModelCall } =>
  each.sideEffect.kind === 'infer';

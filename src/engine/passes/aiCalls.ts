import { capReached, type StepError } from '@holdfast/sdk/protocol';
import { allowanceOf, type CappedSpend, readUsage } from '../ai/index.ts';
import type { AiCall, StepRow } from './commit.ts';

/** The AI steps among those of an answer: the ones that carry `usage`, however they ended. */
export function aiCallsOf(steps: readonly StepRow[]): AiCall[] {
  return steps.flatMap((step) => {
    const usage = step.usage === undefined ? undefined : readUsage(JSON.parse(step.usage));
    return usage ? [{ step, usage }] : [];
  });
}

/**
 * 2.2 `cap`: why the run ends where an answer holds AI steps although the cap had been reached
 * before; undefined where it had not. Steps of one answer ran side by side, on what had been spent
 * when their pass began: by that they are judged together, and the one that reaches the limit
 * completes whatever order they stand in.
 */
export function overCap(ai: CappedSpend | undefined, calls: readonly AiCall[]): StepError | undefined {
  if (!ai || calls.length === 0) return undefined;
  const reason = capReached(allowanceOf(ai));
  return reason === undefined ? undefined : { name: 'BudgetError', message: reason };
}

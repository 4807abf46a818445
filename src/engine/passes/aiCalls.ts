import { capReached, type StepError } from '@holdfast/sdk/protocol';
import { allowanceOf, type CappedSpend, readUsage } from '../ai/index.ts';
import type { AiCall, StepRow } from './commit.ts';

/** The steps of an answer that carry `usage`, however they ended. */
export function aiCallsOf(steps: readonly StepRow[]): AiCall[] {
  return steps.flatMap((step) => {
    const usage = step.usage === undefined ? undefined : readUsage(JSON.parse(step.usage));
    return usage ? [{ step, usage }] : [];
  });
}

/**
 * 2.2 `cap`: the error that ends a run whose cap had been reached before its AI steps; undefined if
 * it had not. The steps of an answer ran side by side, so the spend at the start of their pass
 * decides about all of them. The step that reaches the limit completes.
 */
export function overCap(ai: CappedSpend | undefined, calls: readonly AiCall[]): StepError | undefined {
  if (!ai || calls.length === 0) return undefined;
  const reason = capReached(allowanceOf(ai));
  return reason === undefined ? undefined : { name: 'BudgetError', message: reason };
}

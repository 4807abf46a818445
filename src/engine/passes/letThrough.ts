import type { StepError } from '@holdfast/sdk/protocol';
import type { StepState } from './memo.ts';
import { readStepError, type Thrown } from './readAnswer.ts';

/**
 * Whether what a handler threw is the final failure of one of its steps, which it let through. A
 * runner that names the step decides that; of one that does not, errors are compared, whatever else
 * happened in that pass: a handler may have caught the failure, and fail for a reason of its own,
 * which another attempt may do away with.
 */
export function isLetThrough({ error, stepId }: Thrown, failures: readonly StepState[]): boolean {
  if (stepId !== undefined) return failures.some((step) => step.stepId === stepId);
  return failures.some((step) => {
    const failed = step.error === undefined ? undefined : readStepError(JSON.parse(step.error));
    return failed !== undefined && repeats(error, failed);
  });
}

/**
 * The same words, or some that a runtime put something in front of: `order failed: card declined`.
 * Names do not count: runtimes have one of their own for what they throw out of a step.
 */
const repeats = (thrown: StepError, failed: StepError): boolean =>
  thrown.message === failed.message || (failed.message !== '' && thrown.message.endsWith(`: ${failed.message}`));

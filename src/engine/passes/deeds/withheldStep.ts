import type { Withheld } from '../../ingest/index.ts';
import type { ResolvedRetry } from '../../model/index.ts';
import { retryDelayMs } from '../../registry/index.ts';
import type { StepRow } from '../commit.ts';
import { refusedStep } from './deed.ts';

/** Why a call is not answered; calls are neither debounced nor batched. */
const refusals: Record<Withheld, string> = {
  skipped: 'the child run was not started: another run of its singleton is under way',
  dropped: 'the child run was not started: its rate limit is reached',
  deduped: 'the child run was not started: its idempotency key was seen before',
  debounced: 'the child run was not started: it was debounced',
  batched: 'the child run was not started: it was batched',
};

/**
 * A call for which flow control let no child start: one failed attempt of the step, and the next may find a place, or a turn of
 * the rate. A key that somebody else holds stays with him: the step fails for good.
 */
export function withheldStep(step: StepRow, withheld: Withheld, retry: ResolvedRetry): StepRow {
  const refused = refusedStep(step, refusals[withheld], 'FlowControlError');
  if (withheld === 'deduped' || step.attempt >= retry.maxAttempts) return refused;
  return { ...refused, willRetry: true, runAfter: { inMs: retryDelayMs(retry, step.attempt) } };
}

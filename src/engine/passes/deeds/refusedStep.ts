import type { StepRow } from '../commit.ts';

/** A step whose deed cannot be done: it fails for good, and the handler may catch it. */
export const refusedStep = (step: StepRow, message: string, name?: string): StepRow => ({
  ...step,
  status: 'failed',
  error: JSON.stringify({ name, message }),
});

import type { Transaction } from '../../db/index.ts';
import { readStepSends } from '../sql/readStepSends.ts';
import { showSends } from '../sql/showSends.ts';
import type { ClosedCall } from './closeStep.ts';
import { stepJournal } from './stepJournal.ts';

/**
 * Shows the sends of a call whose step was cancelled meanwhile. A step that still waits shows them
 * when it settles, and any other step stays as it is.
 */
export async function showLateSends(
  tx: Transaction,
  { runId, stepIndex, attempt, ...called }: ClosedCall,
): Promise<void> {
  const step = { runId, stepIndex, attempt };
  await showSends(tx, { ...step, ...stepJournal(called, await readStepSends(tx, { steps: [step] }), {}) });
}

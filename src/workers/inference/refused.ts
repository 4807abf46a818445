import type { CallOutcome, SendEnding, Settlement, StepAi } from '../../engine/inference/index.ts';
import { inferenceError } from './decide.ts';

/** A call that fails without a send. */
export const refused = (reason: string, ai: StepAi): CallOutcome => ({
  kind: 'failed',
  error: inferenceError(reason),
  ai,
  mayRetry: false,
});

/** The same settlement without the texts of the provider, which may be why it cannot be stored. */
export function unstorable({ send, outcome }: Omit<Settlement, 'processId'>): Omit<Settlement, 'processId'> {
  const kept = outcome.kind === 'again' || outcome.kind === 'held';
  const failure = refused('the answer cannot be stored', {});
  if (!send) return { outcome: kept ? outcome : failure };
  const { ending, ...measured } = send;
  const usage = ending.outcome === 'refused' ? {} : ending.usage;
  const bare: SendEnding =
    ending.outcome === 'refused'
      ? { outcome: 'refused', refusal: ending.refusal, message: '' }
      : { outcome: 'unknown', usage, message: 'the answer cannot be stored' };
  return { send: { ...measured, ending: bare }, outcome: kept ? outcome : failure };
}

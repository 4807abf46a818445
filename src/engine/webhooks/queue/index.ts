export { type AttemptOutcome, attemptOutcomes } from './outcome.ts';

export { originLane } from './originLane.ts';
export { type AttemptOutcome, attemptOutcomes } from './outcome.ts';

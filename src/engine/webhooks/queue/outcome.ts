export { type AttemptOutcome, attemptOutcomes } from '../deliveries/index.ts';

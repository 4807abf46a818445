export { drawOutcomes, drawOutcomesSoon, recoverOutcomes } from './drawOutcomes.ts';
export { announceEnded, endRuns, endRunsWithin } from './endRuns.ts';
export { handlesFailure } from './startFollowOn.ts';

export { drawOutcomes, drawOutcomesSoon, recoverOutcomes } from './drawOutcomes.ts';
export { endRuns, endRunsWithin } from './endRuns.ts';
export { handlesFailure } from './startFollowOn.ts';

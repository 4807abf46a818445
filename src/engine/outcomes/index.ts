export { drawOutcomes, drawOutcomesSoon, recoverOutcomes } from './drawOutcomes.ts';
export { endRuns } from './endRuns.ts';
export { followOnEvent } from './startFollowOn.ts';

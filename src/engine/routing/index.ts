export { pinnedLanes } from './pinnedLanes.ts';
export { type PolledChanges, pollChanges } from './pollChanges.ts';
export { isLiveRunner, servesLane } from './sql/strandRuns.ts';
export { failOverdueRuns, lookAfterStranded, type StrandedCounts } from './strandedRuns.ts';

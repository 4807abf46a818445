export { pinnedLanes } from './pinnedLanes.ts';
export { type PolledChanges, pollChanges } from './pollChanges.ts';
export { failOverdueRuns, lookAfterStranded, type StrandedCounts } from './strandedRuns.ts';

export { pinnedLanes } from './pinnedLanes.ts';
export { type RemoteChanges, readChanges } from './readChanges.ts';
export { failOverdueRuns, lookAfterStranded, type StrandedCounts } from './strandedRuns.ts';

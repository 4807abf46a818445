export { type News, readNews } from './news.ts';
export { pinnedLanes } from './pinnedLanes.ts';
export { failOverdueRuns, lookAfterStranded, type StrandedCounts } from './strandedRuns.ts';

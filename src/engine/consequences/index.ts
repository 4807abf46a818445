export { drawConsequences, drawConsequencesSoon, recoverConsequences } from './drawConsequences.ts';
export { dropExpiredStarts } from './dropExpired.ts';
export { endRuns, endRunsWithin } from './endRuns.ts';
export { failOverrunRuns } from './failOverrun.ts';
export { handlesFailure } from './startFollowOn.ts';

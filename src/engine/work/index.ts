export { heartbeatMs, registerDispatcher, retireDispatcher, silenceMs, tickDispatcher } from './dispatchers.ts';
export { releaseRuns } from './releaseRuns.ts';
export { nextDueInMs, wakeDueRuns } from './wakeRuns.ts';

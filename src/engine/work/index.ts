export { heartbeatMs, registerDispatcher, retireDispatcher, silenceMs, tickDispatcher } from './dispatchers.ts';
export { releaseRuns } from './releaseRuns.ts';
export { shareByOrder } from './shareByOrder.ts';
export { nextDueInMs, wakeDueRuns } from './wakeRuns.ts';

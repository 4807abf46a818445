export {
  heartbeatMs,
  registerDispatcher,
  retireDispatcher,
  silenceMs,
  tickDispatcher,
} from '../dispatchers/dispatchers.ts';
export { releaseRuns, releaseSuspects } from './releaseRuns.ts';
export { shareByOrder } from './shareByOrder.ts';
export { nextDueInMs, wakeDueRuns } from './wakeRuns.ts';

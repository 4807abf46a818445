export { hasAddressee, unregistered } from './addressee.ts';
export { defaultApp, type EventInput, type ParsedEvent, parseEvent } from './eventInput.ts';
export { countEarlier, type EarlierEvent, findEarlier, lookBackSoon, recoverLooks } from './lookBack.ts';
export { incomingEvent } from './matchTriggers.ts';
export { type EventPlan, planEvent } from './planEvent.ts';
export { countShed, maxShedEvents, type ShedCounts } from './reads/countShed.ts';
export { type EventRow, type TriggerRecord, toEventRow } from './reads/eventRow.ts';
export { listEvents } from './reads/listEvents.ts';
export {
  type EventMatch,
  type MatchOutcome,
  matchOutcomes,
  maxMatchedWorkflows,
  readEventMatches,
} from './reads/readEventMatches.ts';
export { type EventAnswer, sendEvent } from './sendEvent.ts';
export { maxEventsPerCall, maxStartsPerCall, sendEvents } from './sendEvents.ts';
export { type EventData, selectEventData, selectEventRows } from './sql/selectEventData.ts';
export { selectEventHeads } from './sql/selectEventHeads.ts';
export { deliverEvent, recoverPending } from './wakeWaiters.ts';

export { hasAddressee, unregistered } from './addressee.ts';
export { defaultApp, type EventInput, type ParsedEvent, parseEvent } from './eventInput.ts';
export { incomingEvent } from './matchTriggers.ts';
export { type EventPlan, planEvent } from './planEvent.ts';
export { type EventRow, type TriggerRecord, toEventRow } from './reads/eventRow.ts';
export { type EventListQuery, listEvents } from './reads/listEvents.ts';
export { type EventAnswer, sendEvent } from './sendEvent.ts';
export { type EventData, selectEventData, selectEventRows } from './sql/selectEventData.ts';
export { deliverEvent, recoverPending } from './wakeWaiters.ts';

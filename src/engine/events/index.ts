export { hasAddressee, unregistered } from './addressee.ts';
export { type EventInput, type ParsedEvent, parseEvent } from './eventInput.ts';
export { type EventPlan, planEvent } from './planEvent.ts';
export { recoverPending } from './recoverPending.ts';
export { type EventAnswer, sendEvent } from './sendEvent.ts';
export { deliverEvent } from './wakeWaiters.ts';

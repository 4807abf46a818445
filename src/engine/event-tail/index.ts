export { eventsFromNow, type IsNewEvent, tailEvents } from './eventTail.ts';
export type { IngestedEvent } from './sql/listEventsAfter.ts';

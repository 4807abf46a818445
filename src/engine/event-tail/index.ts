export { eventsFromNow, type IsNews, tailEvents } from './eventTail.ts';
export type { IngestedEvent } from './sql/listEventsAfter.ts';

export { type EventTailQuery, tailEvents } from './eventTail.ts';
export type { IngestedEvent } from './followedEvents.ts';
export { lowestIdAt } from './idTime.ts';

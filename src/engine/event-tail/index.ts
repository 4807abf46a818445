export type { IngestedEvent } from './followedEvents.ts';
export { lowestIdAt } from './lowestIdAt.ts';
export { type EventTailQuery, tailEvents } from './tailEvents.ts';

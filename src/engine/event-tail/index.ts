export type { IngestedEvent } from './followedEvents.ts';
export { lowestIdAt } from './idTime.ts';
export { type EventTailQuery, tailEvents } from './tailEvents.ts';

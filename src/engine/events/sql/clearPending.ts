import { statement, uuid } from '../../db/index.ts';

/** Forgets that waiters of these events are to be looked up. Losing this write only repeats a look-up that finds nobody. */
export const clearPending = statement<never>('clearPending').writes({
  params: { eventIds: uuid.list },
  text: 'delete from event_pending where event_id = any($eventIds)',
});

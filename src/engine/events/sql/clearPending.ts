import { statement } from '../../db/index.ts';

/** Forgets that waiters of these events are to be looked up. Losing this write only repeats a look-up that finds nobody. */
export const clearPending = statement<{ eventIds: readonly string[] }, never>({
  name: 'clearPending',
  writes: true,
  text: 'delete from event_pending where event_id = any($1::uuid[])',
  values: ({ eventIds }) => [eventIds],
});

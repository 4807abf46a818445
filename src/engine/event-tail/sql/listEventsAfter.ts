import { statement } from '../../db/index.ts';

export interface EventsAfter {
  projectId: string;
  after: string;
  app: string | null;
  name: string | null;
  /** What of the log counts: no page tells of what was not there when the first was read. */
  snapshot: string;
  /** Ids below this count in any case: a copy of the database may know newer transactions than its own. */
  settledBelow: string;
  limit: number;
}

/** The events that follow an id, oldest first. A row without a number is older than all snapshots. */
export const listEventsAfter = statement<EventsAfter, { id: string; app: string; name: string }>({
  name: 'listEventsAfter',
  writes: false,
  text: `
    select id, app, name
    from event
    where project_id = $1 and id > $2
      and ($3::text is null or app = $3)
      and ($4::text is null or name = $4)
      and (xid is null or id < $6 or pg_visible_in_snapshot(xid::text::xid8, $5::pg_snapshot))
    order by id
    limit $7`,
  values: ({ projectId, after, app, name, snapshot, settledBelow, limit }) => [
    projectId,
    after,
    app,
    name,
    snapshot,
    settledBelow,
    limit,
  ],
});

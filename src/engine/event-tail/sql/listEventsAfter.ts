import { bigint, pgSnapshot, statement, text, uuid } from '../../db/index.ts';

/**
 * The events that follow an id, oldest first. A row without a number is older than all snapshots.
 */
export const listEventsAfter = statement<{ id: string; app: string; name: string }>('listEventsAfter').reads({
  params: {
    projectId: uuid,
    after: uuid,
    app: text.orNull,
    name: text.orNull,
    /** What of the log counts: no page tells of what was not there when the first was read. */
    snapshot: pgSnapshot,
    /**
     * Ids below this count in any case: a copy of the database may know newer transactions than its
     * own.
     */
    settledBelow: uuid,
    limit: bigint,
  },
  text: `
    select id, app, name
    from event
    where project_id = $projectId and id > $after
      and ($app is null or app = $app)
      and ($name is null or name = $name)
      and (xid is null or id < $settledBelow or pg_visible_in_snapshot(xid::text::xid8, $snapshot))
    order by id
    limit $limit`,
});

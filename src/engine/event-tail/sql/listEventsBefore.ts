import { bigint, pgSnapshot, statement, text, uuid } from '../../db/index.ts';

interface EventBefore {
  id: string;
  app: string;
  name: string;
  /**
   * It was there when the one was recorded that ends the range: of its transaction, or of one that
   * was over by then.
   */
  wasThere: boolean;
}

/**
 * The last events of a range of ids, newest first: of those that may have been recorded after the
 * one that ends it, and of those that were there. Rides `event (project_id, id)`, or the primary
 * key, where the planner takes the range for a short one: either way nothing beyond the range is
 * read.
 */
export const listEventsBefore = statement<EventBefore>('listEventsBefore').reads({
  params: {
    projectId: uuid,
    before: uuid,
    /** No event with a lower id is looked at. */
    floor: uuid,
    app: text.orNull,
    name: text.orNull,
    /** The position of the event `before`, as `findEventPosition` says it. */
    xid: bigint.orNull,
    snapshot: pgSnapshot.orNull,
    current: pgSnapshot,
    /** So many that may have been recorded later, and so many of the others. */
    limit: bigint,
  },
  text: `
    select past.id, past.app, past.name, wanted.was_there
    from (values (false), (true)) as wanted (was_there)
    cross join lateral (
      select id, app, name
      from event
      where project_id = $projectId and id < $before and id >= $floor
        and ($app is null or app = $app)
        and ($name is null or name = $name)
        and (xid is null or pg_visible_in_snapshot(xid::text::xid8, $current))
        and wanted.was_there = ($snapshot is not null and (xid is null or xid = $xid
          or pg_visible_in_snapshot(xid::text::xid8, $snapshot)))
      order by id desc
      limit $limit
    ) past
    order by past.id desc`,
});

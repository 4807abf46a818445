import { statement } from '../../db/index.ts';
import type { EventPosition } from './findEventPosition.ts';

export interface EventsBefore {
  projectId: string;
  before: string;
  /** No event with a lower id is looked at. */
  floor: string;
  app: string | null;
  name: string | null;
  position: EventPosition;
  /** So many that may have been recorded later, and so many of the others. */
  limit: number;
}

export interface EventBefore {
  id: string;
  app: string;
  name: string;
  /** It was there when the one was recorded that ends the range: of its transaction, or of one that was over by then. */
  wasThere: boolean;
}

/**
 * The last events of a range of ids, newest first: of those that may have been recorded after the one that ends it, and of those
 * that were there. Rides `event (project_id, id)`, or the primary key, where the planner takes the range for a short one: either
 * way nothing beyond the range is read.
 */
export const listEventsBefore = statement<EventsBefore, EventBefore>({
  name: 'listEventsBefore',
  writes: false,
  text: `
    select past.id, past.app, past.name, wanted.was_there as "wasThere"
    from (values (false), (true)) as wanted (was_there)
    cross join lateral (
      select id, app, name
      from event
      where project_id = $1 and id < $2 and id >= $3
        and ($4::text is null or app = $4)
        and ($5::text is null or name = $5)
        and (xid is null or pg_visible_in_snapshot(xid::text::xid8, $8::pg_snapshot))
        and wanted.was_there = ($7::pg_snapshot is not null and (xid is null or xid = $6::bigint
          or pg_visible_in_snapshot(xid::text::xid8, $7::pg_snapshot)))
      order by id desc
      limit $9
    ) past
    order by past.id desc`,
  values: ({ projectId, before, floor, app, name, position: { xid, snapshot, current }, limit }) => [
    projectId,
    before,
    floor,
    app,
    name,
    xid,
    snapshot,
    current,
    limit,
  ],
});

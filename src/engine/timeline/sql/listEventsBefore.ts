import { statement } from '../../db/statement.ts';
import type { EventPosition } from './findEventPosition.ts';

export interface EventsBefore {
  projectId: string;
  before: string;
  /** No event with a lower id is looked at. */
  floor: string;
  app: string | null;
  name: string | null;
  position: EventPosition;
  limit: number;
}

/**
 * The last events of a range of ids, newest first, that may have been recorded after the one that ends it: not those of its own
 * transaction, nor of one that was over by then. Rides `event (project_id, id)`, or the primary key, where the planner takes the
 * range for a short one: either way nothing beyond the range is read.
 */
export const listEventsBefore = statement<EventsBefore, { id: string; app: string; name: string }>({
  name: 'listEventsBefore',
  writes: false,
  text: `
    select id, app, name
    from event
    where project_id = $1 and id < $2 and id >= $3
      and ($4::text is null or app = $4)
      and ($5::text is null or name = $5)
      and ($7::pg_snapshot is null
        or xid <> $6::bigint and not pg_visible_in_snapshot(xid::text::xid8, $7::pg_snapshot))
      and (xid is null or pg_visible_in_snapshot(xid::text::xid8, $8::pg_snapshot))
    order by id desc
    limit $9`,
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

import { statement } from '../../db/statement.ts';

export interface EventsBefore {
  projectId: string;
  before: string;
  /** No event with a lower id is looked at. */
  floor: string;
  app: string | null;
  name: string | null;
  limit: number;
}

/**
 * The last events of a range of ids, newest first. Rides `event (project_id, id)`, or the primary key, where the planner takes the
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
    order by id desc
    limit $6`,
  values: ({ projectId, before, floor, app, name, limit }) => [projectId, before, floor, app, name, limit],
});

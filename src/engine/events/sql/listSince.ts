import { bigint, statement, text, timestamptz, uuid } from '../../db/index.ts';
import { type HeardEvent, heardColumns } from '../heardEvent.ts';

/**
 * Events of a name that were received since an instant, the first one first. Only the last events
 * of the name are examined (`window`), so the cost is bounded. Rides the index over `project_id`,
 * `name` and `id`. The event that started the run is omitted: the run knows it.
 */
export const listSince = statement<{ eventId: string }>('listSince').reads({
  params: { projectId: uuid, eventName: text, since: timestamptz, runId: uuid, window: bigint, limit: bigint },
  text: `
    select e.id as event_id from (
      select id, received_at from event
      where project_id = $projectId and name = $eventName
      order by id desc limit $window
    ) e
    where e.received_at >= $since and e.id is distinct from (select event_id from run where id = $runId)
    order by e.received_at, e.id
    limit $limit
  `,
});

/** The first one of some events, and more of them while their data fit, in the order of the ids. */
export const selectHeard = statement<HeardEvent>('selectHeard').reads({
  params: { eventIds: uuid.list, maxBytes: bigint },
  text: `
    select ${heardColumns} from (
      select o.ord, s.*, sum(octet_length(s.data::text)) over (order by o.ord rows unbounded preceding) as upto
      from unnest($eventIds) with ordinality as o(id, ord)
      join event s on s.id = o.id
    ) e
    where e.ord = 1 or coalesce(e.upto, 0) <= $maxBytes
    order by e.ord
  `,
});

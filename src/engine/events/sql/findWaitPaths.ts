import { statement, uuid } from '../../db/index.ts';
import { type HeardEvent, heardColumns } from '../heardEvent.ts';

interface Row extends HeardEvent {
  projectId: string;
  targetApp: string | null;
  /** The transaction that recorded the event. */
  transaction: string;
  /**
   * The paths by which waits for this event name are indexed; `''` for waits without an index path.
   * Empty if no run waits.
   */
  paths: string[];
}

/**
 * Events with the paths by which to look up their waiters. Runs after the commit of the events, so
 * it sees every wait committed before them. The recursive part hops between distinct paths along
 * the index. So the cost depends on the number of paths, not of waits.
 */
export const findWaitPaths = statement<Row>('findWaitPaths').reads({
  params: { eventIds: uuid.list },
  text: `
    select ${heardColumns}, e.project_id, e.target_app, p.xmin::text as transaction, w.paths
    from event_pending p
    join event e on e.id = p.event_id
    cross join lateral (
      with recursive hop as (
        (select match_path from run_wait
         where project_id = e.project_id and event_name = e.name order by match_path limit 1)
        union all
        select (select n.match_path from run_wait n
                where n.project_id = e.project_id and n.event_name = e.name and n.match_path > hop.match_path
                order by n.match_path limit 1)
        from hop where hop.match_path is not null
      )
      select coalesce(array_agg(match_path) filter (where match_path is not null), '{}') as paths from hop
    ) w
    where p.event_id = any($eventIds)
  `,
});

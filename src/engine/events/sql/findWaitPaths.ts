import { statement, uuid } from '../../db/index.ts';

interface Row {
  eventId: string;
  projectId: string;
  name: string;
  data: string | null;
  tags: Record<string, string> | null;
  session: string | null;
  receivedAt: Date;
  /** The transaction that recorded it. */
  transaction: string;
  /**
   * By which paths the waits on that name are indexed; `''` for those that are not. Empty: nobody
   * waits.
   */
  paths: string[];
}

/**
 * The events whose waiters are to be looked up, and how. Runs after the commit that recorded them,
 * so it sees every wait that was committed before an event was. The recursive part hops from one
 * distinct path to the next along the index: its cost is the number of paths, not of waits.
 */
export const findWaitPaths = statement<Row>('findWaitPaths').reads({
  params: { eventIds: uuid.list },
  text: `
    select e.id as event_id, e.project_id, e.name, e.data, e.tags, e.session, e.received_at, p.xmin::text as transaction,
      w.paths
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

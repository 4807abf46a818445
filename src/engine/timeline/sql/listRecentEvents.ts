import { statement } from '../../db/statement.ts';

export interface RecentEventRow {
  projectId: string;
  id: string;
  app: string;
  name: string;
  /** The transaction that recorded it. Null where it is older than the column. */
  xid: number | null;
  /** The transactions that were over when it was recorded. */
  snapshot: string | null;
}

/** The newest events of each project, newest first, none of them below the given id. Rides `(project_id, id desc)`. */
export const listRecentEvents = statement<
  { projectIds: readonly string[]; floors: readonly string[]; limit: number },
  RecentEventRow
>({
  name: 'listRecentEvents',
  writes: false,
  text: `
    select recent.project_id as "projectId", recent.id, recent.app, recent.name, recent.xid,
      recent.snapshot
    from unnest($1::uuid[], $2::uuid[]) as watched (project_id, floor)
    cross join lateral (
      select project_id, id, app, name, xid, snapshot
      from event
      where event.project_id = watched.project_id and event.id >= watched.floor
      order by id desc
      limit $3
    ) recent`,
  values: ({ projectIds, floors, limit }) => [projectIds, floors, limit],
});

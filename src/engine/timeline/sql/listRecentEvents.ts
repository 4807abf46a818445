import { statement } from '../../db/statement.ts';

export interface RecentEventRow {
  projectId: string;
  id: string;
  app: string;
  name: string;
}

/** The newest events of each project, newest first, none of them below the given id. Rides `(project_id, id desc)`. */
export const listRecentEvents = statement<
  { projectIds: readonly string[]; floors: readonly string[]; limit: number },
  RecentEventRow
>({
  name: 'listRecentEvents',
  writes: false,
  text: `
    select recent.project_id as "projectId", recent.id, recent.app, recent.name
    from unnest($1::uuid[], $2::uuid[]) as watched (project_id, floor)
    cross join lateral (
      select project_id, id, app, name
      from event
      where event.project_id = watched.project_id and event.id >= watched.floor
      order by id desc
      limit $3
    ) recent`,
  values: ({ projectIds, floors, limit }) => [projectIds, floors, limit],
});

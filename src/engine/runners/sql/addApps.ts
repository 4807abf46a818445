import { statement } from '../../db/index.ts';

/** Makes the apps that are not there yet; returns those. */
export const addApps = statement<{ projectId: string; names: readonly string[]; now: Date }, { name: string }>({
  name: 'addApps',
  writes: true,
  text: `
    insert into app (project_id, name, created_at)
    select $1, name, $3
    from unnest($2::text[]) as asked (name)
    where not exists (select from app where app.project_id = $1 and app.name = asked.name)
    order by name
    on conflict do nothing
    returning name`,
  values: ({ projectId, names, now }) => [projectId, names, now],
});

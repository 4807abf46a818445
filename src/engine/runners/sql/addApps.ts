import { statement, text, timestamptz, uuid } from '../../db/index.ts';

/** Adds the apps that do not exist yet, and returns these. */
export const addApps = statement<{ name: string }>('addApps').writes({
  params: { projectId: uuid, names: text.list, at: timestamptz },
  text: `
    insert into app (project_id, name, created_at)
    select $projectId, name, $at
    from unnest($names) as asked (name)
    where not exists (select from app where app.project_id = $projectId and app.name = asked.name)
    order by name
    on conflict do nothing
    returning name`,
});

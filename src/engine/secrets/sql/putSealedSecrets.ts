import { bytea, instant, rowset, statement, text, uuid } from '../../db/index.ts';

/**
 * Stores secrets, and replaces those of the same kind and name. Returns no row if the project is
 * unknown.
 */
export const putSealedSecrets = statement<{ kind: string; name: string }>('putSealedSecrets').writes({
  params: {
    now: instant,
    projectId: uuid,
    secrets: rowset({ kind: text, name: text, sealed: bytea }),
  },
  text: `
    insert into sealed_secret (project_id, kind, name, sealed, updated_at)
    select project.id, given.kind, given.name, given.sealed, $now
    from project
    cross join $secrets as given
    where project.id = $projectId
    on conflict (project_id, kind, name) do update
      set sealed = excluded.sealed, updated_at = excluded.updated_at
    returning kind, name`,
});

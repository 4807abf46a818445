import { int, statement, text, uuid } from '../../db/index.ts';

/** The first secrets of a kind of a project, by name. */
export const pageSealedSecrets = statement<{ name: string; sealed: Buffer }>('pageSealedSecrets').reads({
  params: { projectId: uuid, kind: text, limit: int },
  text: `
    select name, sealed
    from sealed_secret
    where project_id = $projectId and kind = $kind
    order by name
    limit $limit`,
});

import { statement, text, uuid } from '../../db/index.ts';

/** Whether a project has a secret of a kind. */
export const hasSecrets = statement<{ name: string }>('hasSecrets').reads({
  params: { projectId: uuid, kind: text },
  text: `
    select name
    from sealed_secret
    where project_id = $projectId and kind = $kind
    limit 1`,
});

import { statement, uuid } from '../../../db/index.ts';

/** Locks a source's row, so that changes of its settings and secrets are serialized. */
export const lockSource = statement<{ id: string }>('lockSource').reads({
  params: { projectId: uuid, id: uuid },
  text: `
    select id
    from webhook_source
    where id = $id and project_id = $projectId
    for update`,
});

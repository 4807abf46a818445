import { statement, uuid } from '../../../db/index.ts';

/** Locks an endpoint's row, so that changes of its settings and secrets are serialized. */
export const lockEndpoint = statement<{ id: string }>('lockEndpoint').reads({
  params: { projectId: uuid, id: uuid },
  text: `
    select id
    from webhook_endpoint
    where id = $id and project_id = $projectId
    for update`,
});

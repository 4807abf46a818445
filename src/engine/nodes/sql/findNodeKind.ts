import { statement, uuid } from '../../db/index.ts';

/** The things of a project that have a UUID. */
export type NodeKind =
  | 'run'
  | 'event'
  | 'workflow'
  | 'runner'
  | 'approval'
  | 'delivery'
  | 'endpoint'
  | 'source'
  | 'message';

/** The kind of the thing with an id. Each branch reads one row by its primary key. */
export const findNodeKind = statement<{ kind: NodeKind }>('findNodeKind').reads({
  params: { projectId: uuid, id: uuid },
  text: `
    select 'run' as kind from run where id = $id and project_id = $projectId
    union all
    select 'event' from event where id = $id and project_id = $projectId
    union all
    select 'workflow' from workflow where id = $id and project_id = $projectId
    union all
    select 'runner' from runner where id = $id and project_id = $projectId
    union all
    select 'approval' from approval where id = $id and project_id = $projectId
    union all
    select 'delivery' from webhook_delivery where id = $id and project_id = $projectId
    union all
    select 'endpoint' from webhook_endpoint where id = $id and project_id = $projectId
    union all
    select 'source' from webhook_source where id = $id and project_id = $projectId
    union all
    select 'message' from webhook_source_delivery where id = $id and project_id = $projectId
    limit 1
  `,
});

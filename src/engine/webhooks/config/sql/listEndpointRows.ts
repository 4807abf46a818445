import { bigint, instant, statement, uuid } from '../../../db/index.ts';
import type { EndpointRow } from '../endpoint.ts';
import { endpointSql } from './columns.ts';

/**
 * Newest first. A project has few endpoints, so the rows of an index on its id are simply sorted.
 */
export const listEndpointRows = statement<EndpointRow>('listEndpointRows').reads({
  params: { now: instant, projectId: uuid, beforeId: uuid.orNull, overlapMs: bigint, limit: bigint },
  text: `
    select ${endpointSql.columns}
    from ${endpointSql.from}
    where e.project_id = $projectId and ($beforeId is null or e.id < $beforeId)
    order by e.id desc
    limit $limit`,
});

import { bigint, instant, statement, uuid } from '../../../db/index.ts';
import type { EndpointRow } from '../endpoint.ts';
import { endpointSql } from './columns.ts';

export const findEndpointRows = statement<EndpointRow>('findEndpointRows').reads({
  params: { now: instant, projectId: uuid, ids: uuid.list, overlapMs: bigint },
  text: `
    select ${endpointSql.columns}
    from ${endpointSql.from}
    where e.id = any($ids) and e.project_id = $projectId`,
});

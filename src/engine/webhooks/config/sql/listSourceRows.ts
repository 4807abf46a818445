import { bigint, instant, statement, uuid } from '../../../db/index.ts';
import type { ShownSource } from '../source.ts';
import { shownSourceSql } from './columns.ts';

/** Newest first. A project has few sources, so the rows of an index on its id are simply sorted. */
export const listSourceRows = statement<ShownSource>('listSourceRows').reads({
  params: { now: instant, projectId: uuid, beforeId: uuid.orNull, overlapMs: bigint, limit: bigint },
  text: `
    select ${shownSourceSql.columns}
    from ${shownSourceSql.from}
    where s.project_id = $projectId and ($beforeId is null or s.id < $beforeId)
    order by s.id desc
    limit $limit`,
});

import { bigint, instant, statement, uuid } from '../../../db/index.ts';
import type { ShownSource } from '../source.ts';
import { shownSourceSql } from './columns.ts';

export const findSourceRows = statement<ShownSource>('findSourceRows').reads({
  params: { now: instant, projectId: uuid, ids: uuid.list, overlapMs: bigint },
  text: `
    select ${shownSourceSql.columns}
    from ${shownSourceSql.from}
    where s.id = any($ids) and s.project_id = $projectId`,
});

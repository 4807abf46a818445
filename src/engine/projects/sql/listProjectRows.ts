import { bigint, statement, uuid } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

export const listProjectRows = statement<Project>('listProjectRows').reads({
  params: { after: uuid.orNull, limit: bigint },
  text: `
    select ${projectColumns}
    from project
    where $after is null or id > $after
    order by id
    limit $limit`,
});

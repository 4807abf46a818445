import { statement } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

export const listProjectRows = statement<{ after: string | null; limit: number }, Project>({
  name: 'listProjectRows',
  writes: false,
  text: `
    select ${projectColumns}
    from project
    where $1::uuid is null or id > $1::uuid
    order by id
    limit $2`,
  values: ({ after, limit }) => [after, limit],
});

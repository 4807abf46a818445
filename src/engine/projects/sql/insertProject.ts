import { statement } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

export interface NewProjectRow {
  id: string;
  name: string;
  concurrencyCeiling: number;
}

/** Returns nothing when the name is taken: of two that race for it, one wins. */
export const insertProject = statement<NewProjectRow, Project>({
  name: 'insertProject',
  writes: true,
  text: `
    insert into project (id, name, concurrency_ceiling)
    values ($1, $2, $3)
    on conflict (name) do nothing
    returning ${projectColumns}`,
  values: ({ id, name, concurrencyCeiling }) => [id, name, concurrencyCeiling],
});

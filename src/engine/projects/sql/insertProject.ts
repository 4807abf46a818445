import { int, statement, text, uuid } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

/** Returns no row if the name is taken, also by a concurrent insert. */
export const insertProject = statement<Project>('insertProject').writes({
  params: { id: uuid, name: text, concurrencyCeiling: int },
  text: `
    insert into project (id, name, concurrency_ceiling)
    values ($id, $name, $concurrencyCeiling)
    on conflict (name) do nothing
    returning ${projectColumns}`,
});

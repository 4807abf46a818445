import { statement } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

/** A project by its id, or by its name. */
export const findProject = statement<{ id: string | null; name: string | null }, Project>({
  name: 'findProject',
  writes: false,
  text: `
    select ${projectColumns}
    from project
    where id = $1::uuid or name = $2`,
  values: ({ id, name }) => [id, name],
});

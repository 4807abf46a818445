import { statement, text, uuid } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

/** A project by its id, or by its name. */
export const findProject = statement<Project>('findProject').reads({
  params: { id: uuid.orNull, name: text.orNull },
  text: `
    select ${projectColumns}
    from project
    where id = $id or name = $name`,
});

import { statement, text, uuid } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

export const findProject = statement<Project>('findProject').reads({
  params: { id: uuid.orNull, name: text.orNull },
  text: `
    select ${projectColumns}
    from project
    where id = $id or name = $name`,
});

import { statement, uuid } from '../../db/index.ts';

/** Makes cached copies of a project old. The row is busy: this comes last in its transaction. */
export const bumpRegistry = statement<{ id: string }>('bumpRegistry').writes({
  params: { projectId: uuid },
  text: `
    update project
    set registry_version = registry_version + 1
    where id = $projectId
    returning id`,
});

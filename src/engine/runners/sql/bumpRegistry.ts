import { statement, uuid } from '../../db/index.ts';

/** Makes cached copies of a project old. The last statement of its transaction, as the row is a busy one. */
export const bumpRegistry = statement<{ id: string }>('bumpRegistry').writes({
  params: { projectId: uuid },
  text: `
    update project
    set registry_version = registry_version + 1
    where id = $projectId
    returning id`,
});

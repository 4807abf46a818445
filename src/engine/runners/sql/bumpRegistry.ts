import { statement, uuid } from '../../db/index.ts';

/** Outdates cached copies of a project. The row is busy: update it last in a transaction (R2). */
export const bumpRegistry = statement<{ id: string }>('bumpRegistry').writes({
  params: { projectId: uuid },
  text: `
    update project
    set registry_version = registry_version + 1
    where id = $projectId
    returning id`,
});

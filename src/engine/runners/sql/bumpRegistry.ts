import { statement } from '../../db/index.ts';

/** Says that what was cached of a project is old. The last statement of its transaction, as the row is a busy one. */
export const bumpRegistry = statement<{ projectId: string }, { id: string }>({
  name: 'bumpRegistry',
  writes: true,
  text: `
    update project
    set registry_version = registry_version + 1
    where id = $1
    returning id`,
  values: ({ projectId }) => [projectId],
});

import { bool, instant, int, statement, text, uuid } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

/** Changes the given fields, and increments `registry_version`, which invalidates cached copies. */
export const changeProject = statement<Project>('changeProject').writes({
  params: {
    now: instant,
    id: uuid,
    name: text.orNull,
    concurrencyCeiling: int.orNull,
    suspended: bool.orNull,
  },
  text: `
    update project
    set name = coalesce($name, name),
      concurrency_ceiling = coalesce($concurrencyCeiling, concurrency_ceiling),
      suspended_at = case
        when $suspended is null then suspended_at
        when $suspended then coalesce(suspended_at, $now)
      end,
      registry_version = registry_version + 1
    where id = $id
    returning ${projectColumns}`,
});

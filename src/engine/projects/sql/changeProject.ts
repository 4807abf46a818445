import { statement } from '../../db/index.ts';
import { type Project, projectColumns } from '../project.ts';

export interface ProjectChangeRow {
  id: string;
  name: string | null;
  concurrencyCeiling: number | null;
  suspended: boolean | null;
  now: Date | null;
}

/** Changes what is given and counts `registry_version` up, so that no cached copy decides by the old values. */
export const changeProject = statement<ProjectChangeRow, Project>({
  name: 'changeProject',
  writes: true,
  text: `
    update project
    set name = coalesce($2, name),
      concurrency_ceiling = coalesce($3, concurrency_ceiling),
      suspended_at = case
        when $4::boolean is null then suspended_at
        when $4 then coalesce(suspended_at, $5::timestamptz, now())
      end,
      registry_version = registry_version + 1
    where id = $1
    returning ${projectColumns}`,
  values: ({ id, name, concurrencyCeiling, suspended, now }) => [id, name, concurrencyCeiling, suspended, now],
});

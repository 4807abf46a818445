import { statement } from '../../db/index.ts';

export interface VersionRow {
  app: string;
  name: string;
  version: string;
  /** JSON text; null without policies. */
  flowControl: string | null;
}

/** What is in force of some workflows: their versions and policies; what is not registered is left out. */
export const findVersions = statement<
  { projectId: string; apps: readonly string[]; names: readonly string[] },
  VersionRow
>({
  name: 'findVersions',
  writes: false,
  text: `
    select workflow.app, workflow.name, workflow.version, workflow.flow_control::text as "flowControl"
    from unnest($2::text[], $3::text[]) as asked (app, name)
    join workflow on workflow.project_id = $1 and workflow.app = asked.app and workflow.name = asked.name`,
  values: ({ projectId, apps, names }) => [projectId, apps, names],
});

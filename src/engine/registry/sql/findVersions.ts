import { rowset, statement, text, uuid } from '../../db/index.ts';

export interface VersionRow {
  app: string;
  name: string;
  version: string;
  /** JSON text; null without policies. */
  flowControl: string | null;
}

/** Versions and policies of the registered workflows among the given ones. */
export const findVersions = statement<VersionRow>('findVersions').reads({
  params: { projectId: uuid, workflows: rowset({ app: text, name: text }) },
  text: `
    select workflow.app, workflow.name, workflow.version, workflow.flow_control::text as flow_control
    from $workflows as asked
    join workflow on workflow.project_id = $projectId and workflow.app = asked.app and workflow.name = asked.name`,
});

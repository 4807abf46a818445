import { bigint, int, ordinal, rowset, statement, text, uuid } from '../../db/index.ts';
import { headColumns, type PayloadHead } from '../../paging/index.ts';

/** A version of a definition that was in force once. */
export interface WorkflowVersion {
  app: string;
  name: string;
  version: string;
  createdAt: Date;
}

/** The latest versions of workflows, newest first. Rides the primary key. */
export const selectVersions = statement<WorkflowVersion>('selectVersions').reads({
  params: {
    projectId: uuid,
    workflows: rowset({ app: text, name: text }),
    /** Only this version and those before it. Null: all. */
    from: text.orNull,
    /** Versions of each workflow, at most. */
    limit: bigint,
  },
  text: `
    select v.app, v.name, v.version, v.created_at
    from $workflows as asked
    cross join lateral (
      select * from workflow_version v
      where v.project_id = $projectId and v.app = asked.app and v.name = asked.name
        and ($from is null or exists (
          select from workflow_version f
          where f.project_id = v.project_id and f.app = v.app and f.name = v.name and f.version = $from
            and (v.created_at < f.created_at or v.created_at = f.created_at and v.version >= f.version)))
      order by v.created_at desc, v.version limit $limit
    ) v
    order by v.app, v.name, v.created_at desc, v.version`,
});

/** Sizes and beginnings of definitions. Rides the primary key. */
export const selectDefinitionHeads = statement<PayloadHead>('selectDefinitionHeads').reads({
  params: {
    projectId: uuid,
    wanted: rowset({ n: ordinal, app: text, name: text, version: text, characters: int }),
  },
  text: `
    select ${headColumns}
    from $wanted as w
    join workflow_version v
      on v.project_id = $projectId and v.app = w.app and v.name = w.name and v.version = w.version
    cross join lateral (select v.definition::text as text offset 0) p`,
});

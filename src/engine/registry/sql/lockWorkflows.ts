import { rowset, statement, text, uuid } from '../../db/index.ts';
import type { LockedWorkflow } from '../retirement.ts';

/** Locks the registered workflows among the named ones. */
export const lockWorkflows = statement<LockedWorkflow>('lockWorkflows').reads({
  params: { projectId: uuid, workflows: rowset({ app: text, name: text }) },
  text: `
    select w.id, w.app, w.name, w.retired_at, w.retired_by, w.unserved_at, w.held_by_hand
    from workflow w
    where w.project_id = $projectId and (w.app, w.name) in (select app, name from $workflows as named)
    order by w.app, w.name
    for update`,
});

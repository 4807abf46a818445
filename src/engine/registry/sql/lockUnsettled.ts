import { rowset, statement, text, uuid } from '../../db/index.ts';
import type { LockedWorkflow } from '../retirement.ts';

/**
 * Locks the workflows that a runner which serves them may change. Usually none, so a registration
 * of a thousand workflows locks no row here.
 */
export const lockUnsettled = statement<LockedWorkflow>('lockUnsettled').reads({
  params: { projectId: uuid, workflows: rowset({ app: text, name: text }) },
  text: `
    select w.id, w.app, w.name, w.retired_at, w.retired_by, w.unserved_at, w.held_by_hand
    from workflow w
    where w.project_id = $projectId
      and (w.retired_at is not null or w.unserved_at is not null or w.held_by_hand)
      and (w.app, w.name) in (select app, name from $workflows as served)
    order by w.app, w.name
    for update`,
});

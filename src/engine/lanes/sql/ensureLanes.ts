import { rowset, statement, text, uuid } from '../../db/index.ts';
import type { LaneKey } from '../../model/index.ts';

export interface LaneRow extends LaneKey {
  id: number;
}

/**
 * Finds lanes, and creates the missing ones. Only missing lanes are inserted, because every attempt
 * uses up an id. Inserts are sorted, so that two callers cannot deadlock. If another transaction
 * creates a lane at the same time, this statement waits. Its snapshot is older, so it does not
 * return that lane, and the caller retries.
 */
export const ensureLanes = statement<LaneRow>('ensureLanes').writes({
  params: { keys: rowset({ projectId: uuid, app: text, workflow: text, runner: text }) },
  text: `
    with asked as (
      select distinct project_id, app, workflow, runner
      from $keys as key
    ),
    found as (
      select lane.id, lane.project_id, lane.app, lane.workflow, lane.runner
      from asked join lane using (project_id, app, workflow, runner)
    ),
    made as (
      insert into lane (project_id, app, workflow, runner)
      select project_id, app, workflow, runner
      from asked
      where not exists (
        select from found
        where (found.project_id, found.app, found.workflow, found.runner)
          = (asked.project_id, asked.app, asked.workflow, asked.runner)
      )
      order by project_id, app, workflow, runner
      on conflict do nothing
      returning id, project_id, app, workflow, runner
    )
    select id, project_id, app, workflow, runner from found
    union all
    select id, project_id, app, workflow, runner from made`,
});

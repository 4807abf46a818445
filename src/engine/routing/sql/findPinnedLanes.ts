import { rowset, statement, text, uuid } from '../../db/index.ts';

export interface PinnedLaneRow {
  id: number;
  projectId: string;
  app: string;
  workflow: string;
  runner: string;
}

/**
 * Lanes of runs pinned to one of these runners. Rides the unique index of `lane` by its first two
 * columns.
 */
export const findPinnedLanes = statement<PinnedLaneRow>('findPinnedLanes').reads({
  params: { runners: rowset({ projectId: uuid, app: text, runnerId: text }) },
  text: `
    select lane.id, lane.project_id, lane.app, lane.workflow, lane.runner
    from lane
    where lane.runner <> ''
      and (lane.project_id, lane.app) in (select * from unnest($runners.projectId, $runners.app))
      and (lane.project_id, lane.app, lane.runner) in (select * from unnest($runners.projectId, $runners.app, $runners.runnerId))
  `,
});

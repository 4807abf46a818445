import { statement } from '../../db/index.ts';

interface Params {
  runners: readonly { projectId: string; app: string; runnerId: string }[];
}

export interface PinnedLaneRow {
  id: number;
  project_id: string;
  app: string;
  workflow: string;
  runner: string;
}

/** Lanes of runs pinned to one of these runners. Rides the unique index of `lane`, whose first two columns it names. */
export const findPinnedLanes = statement<Params, PinnedLaneRow>({
  name: 'findPinnedLanes',
  writes: false,
  text: `
    select lane.id, lane.project_id, lane.app, lane.workflow, lane.runner
    from lane
    where lane.runner <> ''
      and (lane.project_id, lane.app) in (select * from unnest($1::uuid[], $2::text[]))
      and (lane.project_id, lane.app, lane.runner) in (select * from unnest($1::uuid[], $2::text[], $3::text[]))
  `,
  values: ({ runners }) => [
    runners.map((each) => each.projectId),
    runners.map((each) => each.app),
    runners.map((each) => each.runnerId),
  ],
});

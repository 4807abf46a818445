import { statement } from '../../db/index.ts';

interface Params {
  projectId: string;
  /** All of the project when undefined. */
  workflow: string | undefined;
  limit: number;
  now: Date | null;
}

interface Row {
  app: string;
  workflow: string;
  /** JSON text. */
  policy: string;
  paused: number;
  now: Date;
}

/** Counts no further: the figure is for people. */
const maxCounted = 100_000;

/** The budgets of a project, each with the number of runs that it holds. */
export const countHeld = statement<Params, Row>({
  name: 'countHeld',
  writes: false,
  text: `
    select w.app, w.name as workflow, w.flow_control -> 'budget' as policy, held.runs as paused,
      coalesce($4::timestamptz, now()) as now
    from (
      select project_id, app, name, flow_control from workflow
      where project_id = $1::uuid and ($2::text is null or name = $2) and (flow_control -> 'budget') is not null
      order by app, name
      limit $3
    ) w
    cross join lateral (
      select count(*) as runs from (
        select from run
        where run.project_id = w.project_id and run.app = w.app and run.workflow = w.name and run.paused_reason = 'budget'
        limit ${maxCounted}
      ) counted
    ) held
    order by w.app, w.name
  `,
  values: ({ projectId, workflow, limit, now }) => [projectId, workflow ?? null, limit, now],
});

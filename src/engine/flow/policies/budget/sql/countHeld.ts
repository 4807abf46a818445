import { bigint, instant, statement, text, uuid } from '../../../../db/index.ts';

interface Row {
  app: string;
  workflow: string;
  /** JSON text. */
  policy: string;
  paused: number;
  now: Date;
}

/** The maximum count, because the figure is for people. */
const maxCounted = 100_000;

/** The budgets of a project, each with the number of runs that it paused. */
export const countHeld = statement<Row>('countHeld').reads({
  params: {
    projectId: uuid,
    /** Default: all workflows of the project. */
    workflow: text.orNull,
    limit: bigint,
    now: instant,
  },
  text: `
    select w.app, w.name as workflow, w.flow_control -> 'budget' as policy, held.runs as paused,
      $now as now
    from (
      select project_id, app, name, flow_control from workflow
      where project_id = $projectId and ($workflow is null or name = $workflow) and (flow_control -> 'budget') is not null
      order by app, name
      limit $limit
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
});

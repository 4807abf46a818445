import { bigint, instant, statement, text, uuid } from '../../../../db/index.ts';
import { roomAtSql } from './roomAtSql.ts';

interface Row {
  app: string;
  workflow: string;
  /** JSON text. */
  policy: string;
  paused: number;
  /** Since when the spend has reached `warnAtPct`; null below it. */
  warnedAt: Date | null;
  /** Since when the spend has reached a limit; null below it. */
  exceededAt: Date | null;
  /** When a spent budget has room again, unless more is spent; null if the search found no time. */
  resumesAt: Date | null;
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
    /** Default: all apps. */
    app: text.orNull,
    limit: bigint,
    now: instant,
  },
  text: `
    select w.app, w.name as workflow, w.flow_control -> 'budget' as policy, held.runs as paused,
      b.warned_at, b.exceeded_at, room.has_room_at as resumes_at, $now as now
    from (
      select project_id, app, name, flow_control from workflow
      where project_id = $projectId and ($workflow is null or name = $workflow) and ($app is null or app = $app) and (flow_control -> 'budget') is not null
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
    left join flow_budget b on (b.project_id, b.app, b.workflow) = (w.project_id, w.app, w.name)
    left join lateral (${roomAtSql({ app: 'w.app', workflow: 'w.name', definition: 'w' })}) room on b.exceeded_at is not null
    order by w.app, w.name
  `,
});

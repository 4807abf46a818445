import { bigint, instant, statement, text, uuid } from '../../../../db/index.ts';
import { nowUs } from '../../../index.ts';

interface Row {
  app: string;
  workflow: string;
  key: string;
  delayed: number;
  nextStartAt: Date;
}

/**
 * `throttle` scopes with delayed starts, the longest queue first. The count comes from the rate,
 * not from the runs. The TAT is one interval after the last turn, and turns are an interval apart.
 */
export const listDelayed = statement<Row>('listDelayed').reads({
  params: {
    now: instant,
    projectId: uuid,
    /** Default: all workflows of the project. */
    workflow: text.orNull,
    /** Default: all apps. */
    app: text.orNull,
    limit: bigint,
  },
  text: `
    select w.app, w.name as workflow, f.key, turn.delayed::float8 as delayed,
      to_timestamp(ceil((f.arrival_us - turn.delayed * policy.interval) / 1000)::float8 / 1000) as next_start_at
    from workflow w
    cross join lateral (
      select (w.flow_control -> 'throttle' ->> 'perMs')::numeric * 1000 / (w.flow_control -> 'throttle' ->> 'limit')::numeric
        as interval
    ) policy
    cross join (select ${nowUs} as now_us offset 0) clock
    join flow_rate f on f.project_id = w.project_id and f.policy = 'throttle' and f.app = w.app and f.workflow = w.name
      and f.arrival_us > clock.now_us
    cross join lateral (select ceil((f.arrival_us - clock.now_us) / policy.interval) - 1 as delayed offset 0) turn
    where w.project_id = $projectId and ($workflow is null or w.name = $workflow) and ($app is null or w.app = $app) and policy.interval is not null
      and turn.delayed > 0
    order by turn.delayed desc, w.app, w.name, f.key
    limit $limit
  `,
});

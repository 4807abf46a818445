import { defineCheck, type FoundRow } from './check.ts';
import { budgetGrace as grace, isLookedAfter } from './grace.ts';

/**
 * No run of a workflow whose budget has been spent for long goes on: each was paused, or will be
 * when its pass is over.
 */
export const budgetIgnored = defineCheck<FoundRow>({
  invariant: 'I12',
  name: 'budgetIgnored',
  text: `
    select run_work.run_id as subject, run_work.project_id
    from flow_budget
    join lane on (lane.project_id, lane.app, lane.workflow)
      = (flow_budget.project_id, flow_budget.app, flow_budget.workflow)
    join run_work on run_work.lane_id = lane.id
    cross join lateral (
      select ts from run_frame where run_frame.run_id = run_work.run_id order by seq desc limit 1
    ) last
    where flow_budget.exceeded_at < $now - ${grace}
      and run_work.state <> 'paused' and not run_work.pausing
      and last.ts < $now - ${grace}
      and ${isLookedAfter(grace)}
    limit $limit`,
  describe: ({ subject }) => `run ${subject} goes on although the budget of its workflow has long been spent`,
});

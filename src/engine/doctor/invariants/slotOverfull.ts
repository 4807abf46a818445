import { concurrencyLimit } from '../../flow/policies/concurrency/index.ts';
import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  app: string;
  workflow: string;
  inUse: number;
  max: number;
}

/**
 * 2.2 `concurrency`, counted from the runs themselves. A lowered limit leaves executing runs alone,
 * so only runs that began after the last registration count.
 */
export const slotOverfull = defineCheck<Row>({
  invariant: 'I11',
  name: 'slotOverfull',
  text: `
    select min(busy.run_id::text) as subject, lane.project_id, lane.app, lane.workflow, count(*) as in_use,
      max(busy.max) as max
    from (
      select run_id, lane_id, slot, ${concurrencyLimit('run_work.lane_id')} as max
      from run_work
      where lease_id is not null and slot is not null
    ) busy
    join lane on lane.id = busy.lane_id
    join workflow on workflow.project_id = lane.project_id and workflow.app = lane.app and workflow.name = lane.workflow
    cross join lateral (
      select ts from run_frame where run_frame.run_id = busy.run_id and kind = 'run_status' order by seq desc limit 1
    ) began
    where busy.max is not null and began.ts > workflow.updated_at
    group by busy.slot, lane.project_id, lane.app, lane.workflow
    having count(*) > max(busy.max)
    limit $limit`,
  describe: ({ subject, app, workflow, inUse, max }) =>
    `${inUse} runs of one scope of ${app}/${workflow} execute at once, for example ${subject}, but the limit is ${max}`,
});

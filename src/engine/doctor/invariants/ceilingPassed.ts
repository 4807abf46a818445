import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  inUse: number;
  max: number;
}

/**
 * A lowered ceiling leaves executing runs alone, and its date is unknown. So only recent starts
 * count.
 */
const fresh = "interval '30 seconds'";

/** 2.2, the project's ceiling, counted from the runs themselves. */
export const ceilingPassed = defineCheck<Row>({
  invariant: 'I11',
  name: 'ceilingPassed',
  text: `
    select max(busy.run_id::text) as subject, project.id as project_id, count(*) as in_use,
      max(project.concurrency_ceiling) as max
    from run_work busy
    join project on project.id = busy.project_id
    cross join lateral (
      select ts from run_frame where run_frame.run_id = busy.run_id and kind = 'run_status' order by seq desc limit 1
    ) began
    where busy.lease_id is not null and project.concurrency_ceiling > 0
      and began.ts > $now - ${fresh}
    group by project.id
    having count(*) > max(project.concurrency_ceiling)
    limit $limit`,
  describe: ({ subject, inUse, max }) =>
    `${inUse} recently started runs execute at once, for example ${subject}, but the ceiling of the project is ${max}`,
});

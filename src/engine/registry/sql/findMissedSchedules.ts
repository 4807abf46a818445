import { statement, timestamptz, uuid } from '../../db/index.ts';

/** Locks the schedules of workflows that are due. A scheduler skips them meanwhile. */
export const findMissedSchedules = statement<{ id: string; cron: string }>('findMissedSchedules').reads({
  params: { workflowIds: uuid.list, now: timestamptz },
  text: `
    select id, cron
    from cron_schedule
    where workflow_id = any($workflowIds) and next_fire_at <= $now
    order by workflow_id, cron
    for update`,
});

import { rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';

export interface Schedule {
  id: string;
  workflowId: string;
  cron: string;
  nextFireAt: Date;
}

/**
 * Replaces the schedules of workflows: deletes others, adds new ones, and keeps the next time of
 * existing ones.
 */
export const putSchedules = statement<{ id: string }>('putSchedules').writes({
  params: {
    /** Workflows whose schedules are all given. */
    workflowIds: uuid.list,
    schedules: rowset({ id: uuid, workflowId: uuid, cron: text, nextFireAt: timestamptz }),
  },
  text: `
    with given as (
      select * from $schedules as given
    ),
    gone as (
      delete from cron_schedule
      where workflow_id = any($workflowIds)
        and not exists (
          select from given
          where given.workflow_id = cron_schedule.workflow_id and given.cron = cron_schedule.cron
        )
    )
    insert into cron_schedule (id, workflow_id, cron, next_fire_at)
    select id, workflow_id, cron, next_fire_at
    from given
    order by workflow_id, cron
    on conflict (workflow_id, cron) do nothing
    returning id`,
});

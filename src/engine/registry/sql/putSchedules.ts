import { statement } from '../../db/index.ts';

export interface PutSchedules {
  /** Workflows whose schedules are given in full. */
  workflowIds: readonly string[];
  schedules: readonly { id: string; workflowId: string; cron: string; nextFireAt: Date }[];
}

/**
 * Makes the schedules of workflows be the given ones: what is not among them goes, what is new is added, and what stays
 * keeps its next time.
 */
export const putSchedules = statement<PutSchedules, { id: string }>({
  name: 'putSchedules',
  writes: true,
  text: `
    with given as (
      select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[]) as given (id, workflow_id, cron, next_fire_at)
    ),
    gone as (
      delete from cron_schedule
      where workflow_id = any($1::uuid[])
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
  values: ({ workflowIds, schedules }) => [
    workflowIds,
    schedules.map((each) => each.id),
    schedules.map((each) => each.workflowId),
    schedules.map((each) => each.cron),
    schedules.map((each) => each.nextFireAt),
  ],
});

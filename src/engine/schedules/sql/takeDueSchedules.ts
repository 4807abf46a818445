import { statement } from '../../db/statement.ts';

export interface DueRow {
  id: string;
  cron: string;
  next_fire_at: Date;
  project_id: string;
  app: string;
  workflow: string;
  now: Date;
}

/**
 * Locks schedules whose time has come, the longest overdue first, passing over those that another scheduler has in its
 * hands. Rides `cron_schedule_next_fire_at_idx`. A registration that removes or changes one of them either came first, and
 * it is not found, or waits for this transaction.
 */
export const takeDueSchedules = statement<{ limit: number; now: Date | null }, DueRow>({
  name: 'takeDueSchedules',
  writes: false,
  text: `
    select s.id, s.cron, s.next_fire_at, w.project_id, w.app, w.name as workflow, coalesce($2::timestamptz, now()) as now
    from cron_schedule s
    join workflow w on w.id = s.workflow_id
    where s.next_fire_at <= coalesce($2::timestamptz, now())
    order by s.next_fire_at
    limit $1
    for update of s skip locked`,
  values: ({ limit, now }) => [limit, now],
});

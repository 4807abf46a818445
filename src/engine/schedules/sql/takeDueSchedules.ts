import { bigint, instant, statement } from '../../db/index.ts';

export interface DueRow {
  id: string;
  cron: string;
  nextFireAt: Date;
  projectId: string;
  app: string;
  workflow: string;
  /**
   * This very instant has started its run already: a clock that was set back comes by a second
   * time.
   */
  hasFired: boolean;
  now: Date;
}

/**
 * Locks due schedules, the longest overdue first, and skips those that another scheduler has
 * locked. Rides `cron_schedule_next_fire_at_idx`. A registration that removes or changes a schedule
 * either came first, and it is not found, or waits for this transaction. A run is never created
 * before its instant. So the candidates for the same instant are the few runs of `run_cron_idx`
 * from there on.
 */
export const takeDueSchedules = statement<DueRow>('takeDueSchedules').reads({
  params: { now: instant, limit: bigint },
  text: `
    select s.id, s.cron, s.next_fire_at, w.project_id, w.app, w.name as workflow, $now as now,
      exists (
        select from run r
        where r.project_id = w.project_id and r.app = w.app and r.workflow = w.name and r.created_at >= s.next_fire_at
          and r.trigger_kind = 'cron' and r.replay_of is null and r.input ->> 'cron' = s.cron
          and r.input ->> 'scheduledAt' = to_char(s.next_fire_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ) as has_fired
    from cron_schedule s
    join workflow w on w.id = s.workflow_id
    where s.next_fire_at <= $now
    order by s.next_fire_at
    limit $limit
    for update of s skip locked`,
});

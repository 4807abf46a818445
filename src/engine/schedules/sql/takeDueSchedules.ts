import { bigint, instant, statement } from '../../db/index.ts';

export interface DueRow {
  id: string;
  cron: string;
  nextFireAt: Date;
  projectId: string;
  app: string;
  workflow: string;
  /** Whether this instant already has its run, because the clock was set back. */
  hasFired: boolean;
  now: Date;
}

/**
 * Locks due schedules, the longest overdue first. Skips schedules that another scheduler has
 * locked. Rides `cron_schedule_next_fire_at_idx`. A registration that changes or removes a schedule
 * has either committed, or waits for this transaction.
 *
 * A run is never created before its instant. So only the few runs of `run_cron_idx` from that
 * instant on are checked for it.
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

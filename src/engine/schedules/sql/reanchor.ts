import { instant, rowset, statement, timestamptz, uuid } from '../../db/index.ts';

/**
 * Sets schedules to their next times by the corrected clock. Actions recorded in the future are
 * redated to now.
 */
export const reanchor = statement<{ id: string }>('reanchorSchedules').writes({
  params: { now: instant, schedules: rowset({ id: uuid, nextFireAt: timestamptz }) },
  text: `
    update cron_schedule s set
      next_fire_at = given.next_fire_at,
      last_fired_at = case when s.last_fired_at is not null then least(s.last_fired_at, $now) end,
      last_refused_at = case when s.last_refused_at is not null then least(s.last_refused_at, $now) end
    from $schedules as given
    where s.id = given.id
    returning s.id`,
});

import { rowset, statement, timestamptz, uuid } from '../../db/index.ts';

/** Moves locked schedules over the instants that their workflow slept through. */
export const moveMissedSchedules = statement<{ id: string }>('moveMissedSchedules').writes({
  params: { schedules: rowset({ id: uuid, nextFireAt: timestamptz }) },
  text: `
    update cron_schedule s set next_fire_at = given.next_fire_at
    from $schedules as given
    where s.id = given.id
    returning s.id`,
});

import { statement } from '../../db/index.ts';

/** Sets schedules to their next times by the clock as it is now; what they did in its future counts as done now. */
export const reanchor = statement<
  { schedules: readonly { id: string; nextFireAt: Date }[]; now: Date | null },
  { id: string }
>({
  name: 'reanchorSchedules',
  writes: true,
  text: `
    update cron_schedule s set
      next_fire_at = given.next_fire_at,
      last_fired_at = case when s.last_fired_at is not null then least(s.last_fired_at, coalesce($3::timestamptz, now())) end,
      last_refused_at = case when s.last_refused_at is not null then least(s.last_refused_at, coalesce($3::timestamptz, now())) end
    from unnest($1::uuid[], $2::timestamptz[]) as given (id, next_fire_at)
    where s.id = given.id
    returning s.id`,
  values: ({ schedules, now }) => [schedules.map((each) => each.id), schedules.map((each) => each.nextFireAt), now],
});

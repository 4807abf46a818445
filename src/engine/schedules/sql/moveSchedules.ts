import { statement } from '../../db/index.ts';

export interface Move {
  id: string;
  /** The instant that was due: whoever finds another one there came too late. */
  dueAt: Date;
  nextFireAt: Date;
  /** `refused`: nothing was started; `passed`: the instant had its run before. */
  outcome: 'fired' | 'refused' | 'passed';
}

/** Moves schedules on from the instant that was due, and records when that one was dealt with, and how. */
export const moveSchedules = statement<{ moves: readonly Move[]; now: Date | null }, { id: string }>({
  name: 'moveSchedules',
  writes: true,
  text: `
    update cron_schedule s set
      next_fire_at = m.next_fire_at,
      last_fired_at = case m.outcome when 'fired' then coalesce($5::timestamptz, now()) else s.last_fired_at end,
      last_refused_at = case m.outcome when 'refused' then coalesce($5::timestamptz, now()) else s.last_refused_at end
    from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::text[]) as m (id, due_at, next_fire_at, outcome)
    where s.id = m.id and s.next_fire_at = m.due_at
    returning s.id`,
  values: ({ moves, now }) => [
    moves.map((each) => each.id),
    moves.map((each) => each.dueAt),
    moves.map((each) => each.nextFireAt),
    moves.map((each) => each.outcome),
    now,
  ],
});

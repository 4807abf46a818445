import { statement } from '../../db/statement.ts';

export interface Move {
  id: string;
  /** The instant that was due: whoever finds another one there came too late. */
  dueAt: Date;
  nextFireAt: Date;
  /** False: the project was suspended, so nothing was started. */
  hasFired: boolean;
}

/** Moves schedules on from the instant that was due, and records when that one was dealt with, and how. */
export const moveSchedules = statement<{ moves: readonly Move[]; now: Date | null }, { id: string }>({
  name: 'moveSchedules',
  writes: true,
  text: `
    update cron_schedule s set
      next_fire_at = m.next_fire_at,
      last_fired_at = case when m.has_fired then coalesce($5::timestamptz, now()) else s.last_fired_at end,
      last_refused_at = case when m.has_fired then s.last_refused_at else coalesce($5::timestamptz, now()) end
    from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::bool[]) as m (id, due_at, next_fire_at, has_fired)
    where s.id = m.id and s.next_fire_at = m.due_at
    returning s.id`,
  values: ({ moves, now }) => [
    moves.map((each) => each.id),
    moves.map((each) => each.dueAt),
    moves.map((each) => each.nextFireAt),
    moves.map((each) => each.hasFired),
    now,
  ],
});

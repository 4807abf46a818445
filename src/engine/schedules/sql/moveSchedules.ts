import { instant, rowset, statement, text, timestamptz, uuid } from '../../db/index.ts';

export interface Move {
  id: string;
  /** The due instant. A scheduler that finds another instant is too late. */
  dueAt: Date;
  nextFireAt: Date;
  /**
   * `refused`: no run was started. `passed`: the instant already had its run, or the workflow is
   * retired.
   */
  outcome: 'fired' | 'refused' | 'passed';
}

/**
 * Moves schedules on from the instant that was due, and records when and how that instant was
 * handled.
 */
export const moveSchedules = statement<{ id: string }>('moveSchedules').writes({
  params: {
    now: instant,
    moves: rowset({ id: uuid, dueAt: timestamptz, nextFireAt: timestamptz, outcome: text }),
  },
  text: `
    update cron_schedule s set
      next_fire_at = m.next_fire_at,
      last_fired_at = case m.outcome when 'fired' then $now else s.last_fired_at end,
      last_refused_at = case m.outcome when 'refused' then $now else s.last_refused_at end
    from $moves as m
    where s.id = m.id and s.next_fire_at = m.due_at
    returning s.id`,
});

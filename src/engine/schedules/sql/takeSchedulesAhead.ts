import { statement } from '../../db/index.ts';

export interface AheadRow {
  id: string;
  cron: string;
  now: Date;
}

/**
 * Locks schedules that were dealt with at a time that has not come yet: the clock was wrong then. Reads the whole table,
 * which has a row per schedule of a workflow: for now and then only.
 */
export const takeSchedulesAhead = statement<{ limit: number; toleranceMs: number; now: Date | null }, AheadRow>({
  name: 'takeSchedulesAhead',
  writes: false,
  text: `
    select id, cron, coalesce($3::timestamptz, now()) as now
    from cron_schedule
    where greatest(last_fired_at, last_refused_at) > coalesce($3::timestamptz, now()) + $2::float8 * interval '1 ms'
    limit $1
    for update skip locked`,
  values: ({ limit, toleranceMs, now }) => [limit, toleranceMs, now],
});

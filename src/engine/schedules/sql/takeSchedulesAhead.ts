import { bigint, float8, instant, statement } from '../../db/index.ts';

export interface AheadRow {
  id: string;
  cron: string;
  now: Date;
}

/**
 * Locks schedules that were handled at a time in the future, because the clock was wrong. Scans the
 * whole table, which has a row per schedule, so it must run rarely.
 */
export const takeSchedulesAhead = statement<AheadRow>('takeSchedulesAhead').reads({
  params: { now: instant, limit: bigint, toleranceMs: float8 },
  text: `
    select id, cron, $now as now
    from cron_schedule
    where greatest(last_fired_at, last_refused_at) > $now + $toleranceMs * interval '1 ms'
    limit $limit
    for update skip locked`,
});

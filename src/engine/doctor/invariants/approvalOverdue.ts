import { defineCheck, type FoundRow } from './check.ts';
import { isLookedAfter } from './grace.ts';

interface Row extends FoundRow {
  step: string;
  lateMs: number;
}

/**
 * As with timers: far beyond a second, and only while a process that looks after deadlines has been
 * up for that long.
 */
const grace = "interval '30 seconds'";

/** A deadline that passed has been applied. */
export const approvalOverdue = defineCheck<Row>({
  invariant: 'I8',
  name: 'approvalOverdue',
  text: `
    select a.run_id as subject, a.project_id, a.step,
      (extract(epoch from $now - a.expires_at) * 1000)::float8 as late_ms
    from approval a
    where a.status = 'pending' and a.expires_at is not null
      and a.expires_at < $now - ${grace}
      and ${isLookedAfter(grace)}
    order by a.expires_at
    limit $limit`,
  describe: ({ subject, step, lateMs }) =>
    `the deadline of approval ${JSON.stringify(step)} of run ${subject} passed ${Math.round(lateMs / 1000)} s ago`,
});

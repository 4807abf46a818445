import { defineCheck, type FoundRow } from './check.ts';
import { isLookedAfter } from './grace.ts';

interface Row extends FoundRow {
  state: string;
  lateMs: number;
}

/** Healthy timers fire within a second; this is beyond any recovery. */
const grace = "interval '30 seconds'";

/**
 * Held against the service only while a process that looks after timers has been up for that long.
 */
export const timerOverdue = defineCheck<Row>({
  invariant: 'I8',
  name: 'timerOverdue',
  text: `
    select run_id as subject, project_id, state,
      (extract(epoch from $now - due_at) * 1000)::float8 as late_ms
    from run_work
    where state in ('parked', 'stranded') and due_at is not null
      and due_at < $now - ${grace}
      and ${isLookedAfter(grace)}
    order by due_at
    limit $limit`,
  describe: ({ subject, state, lateMs }) =>
    state === 'parked'
      ? `run ${subject} should have woken ${Math.round(lateMs / 1000)} s ago`
      : `run ${subject} should have given up its wait for a runner ${Math.round(lateMs / 1000)} s ago`,
});

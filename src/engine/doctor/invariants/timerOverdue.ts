import { defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher, recoveryGrace } from './grace.ts';

interface Row extends FoundRow {
  state: string;
  lateMs: number;
}

/** A due timer fires. */
export const timerOverdue = defineCheck<Row>({
  invariant: 'I8',
  name: 'timerOverdue',
  text: `
    select run_id as subject, project_id, state,
      (extract(epoch from $now - due_at) * 1000)::float8 as late_ms
    from run_work
    where state in ('parked', 'stranded') and due_at is not null
      and due_at < $now - ${recoveryGrace}
      and ${hasLiveDispatcher(recoveryGrace)}
    order by due_at
    limit $limit`,
  describe: ({ subject, state, lateMs }) =>
    state === 'parked'
      ? `run ${subject} was due to wake ${Math.round(lateMs / 1000)} s ago`
      : `run ${subject} was due to stop waiting for a runner ${Math.round(lateMs / 1000)} s ago`,
});

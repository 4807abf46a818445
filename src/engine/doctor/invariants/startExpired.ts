import { defineCheck, type FoundRow } from './check.ts';
import { hasLiveDispatcher, recoveryGrace } from './grace.ts';

interface Row extends FoundRow {
  state: string;
  lateMs: number;
}

/** A start that has not begun within its time to live is dropped. */
export const startExpired = defineCheck<Row>({
  invariant: 'I8',
  name: 'startExpired',
  text: `
    select run_id as subject, project_id, state,
      (extract(epoch from $now - expires_at) * 1000)::float8 as late_ms
    from run_work
    where expires_at is not null and claim_no = 0
      and expires_at < $now - ${recoveryGrace}
      and ${hasLiveDispatcher(recoveryGrace)}
    order by expires_at
    limit $limit`,
  describe: ({ subject, state, lateMs }) =>
    `run ${subject} is still ${state}, but its start expired ${Math.round(lateMs / 1000)} s ago`,
});

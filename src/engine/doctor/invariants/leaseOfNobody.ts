import { silenceMs } from '../../dispatchers/index.ts';
import { defineCheck, type FoundRow } from './check.ts';

interface Row extends FoundRow {
  leaseId: string;
  silentMs: number | null;
}

/** A dispatcher that is silent for longer should have been found dead, and its runs released. */
const grace = `${silenceMs + 4_000} * interval '1 ms'`;

/**
 * Checked only if another dispatcher is alive to release the runs: a stopped service releases them
 * at its next start. A heartbeat in the future, from before a clock went back, is also invalid:
 * live dispatchers correct it. A lease of an unknown dispatcher is always a violation.
 */
export const leaseOfNobody = defineCheck<Row>({
  invariant: 'I3',
  name: 'leaseOfNobody',
  text: `
    select run_work.run_id as subject, run_work.project_id, run_work.lease_id,
      (extract(epoch from $now - dispatcher.heartbeat_at) * 1000)::float8 as silent_ms
    from run_work
    left join dispatcher on dispatcher.id = run_work.lease_id
    where run_work.lease_id is not null
      and (
        dispatcher.id is null
        or (
          (dispatcher.heartbeat_at < $now - ${grace}
            or dispatcher.heartbeat_at > $now + interval '1 minute')
          and exists (
            select from dispatcher alive
            where alive.heartbeat_at > $now - ${grace}
              and alive.heartbeat_at <= $now + interval '1 minute'
              and alive.found_dead_at is null
              and alive.started_at < $now - ${grace})
        )
      )
    limit $limit`,
  describe: ({ subject, leaseId, silentMs }) => `run ${subject} is leased to dispatcher ${leaseId}, ${fault(silentMs)}`,
});

function fault(silentMs: number | null): string {
  if (silentMs === null) return 'which does not exist';
  const seconds = Math.round(Math.abs(silentMs) / 1000);
  return silentMs < 0 ? `whose heartbeat is ${seconds} s in the future` : `which has been silent for ${seconds} s`;
}
